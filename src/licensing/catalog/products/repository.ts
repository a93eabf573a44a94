import type { Ctx } from '#kernel/context.ts';
import { readFlag, readJson, writeJson } from '#kernel/db/columns.ts';
import { containsPattern } from '#kernel/db/dialect.ts';
import { selectPage } from '#kernel/db/page.ts';
import { statement } from '#kernel/db/statement.ts';
import type { JsonObject } from '#kernel/http/json-object.ts';
import { isId } from '#kernel/ids.ts';
import type { Slice } from '#kernel/service/pagination.ts';
import type {
  LicenseType,
  LicensingMode,
  ProductStatus,
  ProductType,
} from '#licensing/contract/enumerations.ts';
import { ids } from '#licensing/contract/ids.ts';

/** A product as stored (licensing section 8.2). */
export interface Product {
  id: string;
  tenantId: string;
  name: string;
  slug: string;
  type: ProductType;
  status: ProductStatus;
  licensingMode: LicensingMode;
  defaultLicenseType: LicenseType;
  defaultMaxActivations: number;
  /** null: a license of a dated type that names no end has none. */
  defaultDurationDays: number | null;
  policyId: string | null;
  keyFormatId: string | null;
  prereleaseNeedsBeta: boolean;
  criticalUpdatesForExpired: boolean;
  statementRequired: boolean;
  metadata: JsonObject;
  createdAt: string;
  updatedAt: string;
}

interface Row {
  id: string;
  tenant_id: string;
  name: string;
  slug: string;
  type: ProductType;
  status: ProductStatus;
  licensing_mode: LicensingMode;
  default_license_type: LicenseType;
  default_max_activations: number;
  default_duration_days: number | null;
  policy_id: string | null;
  key_format_id: string | null;
  prerelease_needs_beta: boolean | number;
  critical_updates_for_expired: boolean | number;
  statement_required: boolean | number;
  metadata: string;
  created_at: string;
  updated_at: string;
}

const TABLE = 'license_products';

const byId = statement<{ tenant_id: string; name: string }, Row>((q, p) =>
  q(TABLE).where('id', p('name')).where('tenant_id', p('tenant_id')).select('*'),
);
const bySlug = statement<{ tenant_id: string; name: string }, Row>((q, p) =>
  q(TABLE).where('tenant_id', p('tenant_id')).where('slug', p('name')).select('*'),
);

const idBySlug = statement<{ tenant_id: string; slug: string }, { id: string }>((q, p) =>
  q(TABLE).where('tenant_id', p('tenant_id')).where('slug', p('slug')).select('id'),
);

/** Id of the product with a slug; whoever writes an event of it knows the product, whatever its key is confined to. */
export const idOfSlug = async (ctx: Ctx, slug: string): Promise<string | null> =>
  (await idBySlug.first(ctx.db, { tenant_id: ctx.tenantId, slug }))?.id ?? null;

/** No slug has the form of an id: a slug holds no underscore. */
const isProductId = (idOrSlug: string): boolean => isId(ids.product, idOrSlug);

/** The product, or null when the caller may not know of it: unknown, of another tenant, or outside the API key. */
export async function find(ctx: Ctx, idOrSlug: string): Promise<Product | null> {
  const query = isProductId(idOrSlug) ? byId : bySlug;
  return visible(ctx, await query.first(ctx.db, { tenant_id: ctx.tenantId, name: idOrSlug }));
}

/** The product, locked until the end of the transaction; null as in `find`. */
export async function lock(ctx: Ctx, idOrSlug: string): Promise<Product | null> {
  const named = isProductId(idOrSlug) ? { id: idOrSlug } : { slug: idOrSlug };
  const row: Row | undefined = await ctx.db
    .knex(TABLE)
    .where({ tenant_id: ctx.tenantId, ...named })
    .forUpdate()
    .first();
  return visible(ctx, row);
}

function visible(ctx: Ctx, row: Row | undefined): Product | null {
  if (!row) return null;
  const { confinedTo } = ctx.actor;
  return confinedTo && !confinedTo.includes(row.id) ? null : toProduct(row);
}

/** Products that the caller may see, by name; `q` is looked for in name and slug. */
export async function list(
  ctx: Ctx,
  filter: Slice & { status?: ProductStatus | undefined; q?: string | undefined },
): Promise<{ items: Product[]; total: number }> {
  const query = ctx.db.knex(TABLE).where({ tenant_id: ctx.tenantId });
  if (filter.status) query.where({ status: filter.status });
  if (ctx.actor.confinedTo) query.whereIn('id', [...ctx.actor.confinedTo]);
  if (filter.q) {
    const pattern = containsPattern(filter.q);
    query.whereRaw("(lower(name) LIKE lower(?) ESCAPE '\\' OR slug LIKE lower(?) ESCAPE '\\')", [
      pattern,
      pattern,
    ]);
  }
  const { rows, total } = await selectPage<Row>(query, filter);
  return { items: rows.map(toProduct), total };
}

/** Throws a unique violation for a taken slug, a foreign key violation for a policy or format that is gone. */
export async function insert(ctx: Ctx, product: Product): Promise<void> {
  await ctx.db.knex(TABLE).insert(toRow(product));
}

/** Throws as `insert` does. */
export async function update(ctx: Ctx, product: Product): Promise<void> {
  await ctx.db.knex(TABLE).where({ id: product.id }).update(toRow(product));
}

/** What belongs to a product and keeps it from being deleted. */
export interface Owned {
  /** Those in the trash with them. */
  licenses: number;
  /** Which no list of licenses shows. */
  honeypots: number;
  /** Drafts with them. */
  releases: number;
}

export async function countOwned(ctx: Ctx, productId: string): Promise<Owned> {
  const count = async (table: string, where: object): Promise<number> => {
    const [counted] = await ctx.db
      .knex(table)
      .where({ product_id: productId, ...where })
      .count({ n: '*' });
    return Number(counted?.n ?? 0);
  };
  return {
    licenses: await count('licenses', { honeypot: false }),
    honeypots: await count('licenses', { honeypot: true }),
    releases: await count('license_releases', {}),
  };
}

/** Whether a release of the product was ever published, withdrawn ones among them. */
export async function hasPublished(ctx: Ctx, productId: string): Promise<boolean> {
  const row: unknown = await ctx.db
    .knex('license_releases')
    .where({ product_id: productId })
    .whereNot('state', 'DRAFT')
    .first('id');
  return row !== undefined;
}

/**
 * Deletes the product and its signing keys; throws a foreign key violation when something else refers to it.
 *
 * @returns key ids of the signing keys
 */
export async function remove(ctx: Ctx, productId: string): Promise<string[]> {
  const { knex } = ctx.db;
  const keys: { key_id: string }[] = await knex('license_signing_keys')
    .where({ product_id: productId })
    .orderBy('id')
    .select('key_id');
  await knex('license_signing_keys').where({ product_id: productId }).delete();
  await knex(TABLE).where({ id: productId }).delete();
  return keys.map((key) => key.key_id);
}

const toProduct = (row: Row): Product => ({
  id: row.id,
  tenantId: row.tenant_id,
  name: row.name,
  slug: row.slug,
  type: row.type,
  status: row.status,
  licensingMode: row.licensing_mode,
  defaultLicenseType: row.default_license_type,
  defaultMaxActivations: row.default_max_activations,
  defaultDurationDays: row.default_duration_days,
  policyId: row.policy_id,
  keyFormatId: row.key_format_id,
  prereleaseNeedsBeta: readFlag(row.prerelease_needs_beta),
  criticalUpdatesForExpired: readFlag(row.critical_updates_for_expired),
  statementRequired: readFlag(row.statement_required),
  metadata: readJson(row.metadata),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const toRow = (product: Product): Row => ({
  id: product.id,
  tenant_id: product.tenantId,
  name: product.name,
  slug: product.slug,
  type: product.type,
  status: product.status,
  licensing_mode: product.licensingMode,
  default_license_type: product.defaultLicenseType,
  default_max_activations: product.defaultMaxActivations,
  default_duration_days: product.defaultDurationDays,
  policy_id: product.policyId,
  key_format_id: product.keyFormatId,
  prerelease_needs_beta: product.prereleaseNeedsBeta,
  critical_updates_for_expired: product.criticalUpdatesForExpired,
  statement_required: product.statementRequired,
  metadata: writeJson(product.metadata),
  created_at: product.createdAt,
  updated_at: product.updatedAt,
});
