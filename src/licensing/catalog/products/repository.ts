import { reaches } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';
import { isId } from '#kernel/ids.ts';
import { ids } from '#licensing/contract/ids.ts';
import { type Product, productRecord } from './record.ts';

const TABLE = productRecord.table;

const byId = statement<{ tenant_id: string; name: string }>((q, p) =>
  q(TABLE).where('id', p('name')).where('tenant_id', p('tenant_id')).select('*'),
);
const bySlug = statement<{ tenant_id: string; name: string }>((q, p) =>
  q(TABLE).where('tenant_id', p('tenant_id')).where('slug', p('name')).select('*'),
);

const idBySlug = statement<{ tenant_id: string; slug: string }, { id: string }>((q, p) =>
  q(TABLE).where('tenant_id', p('tenant_id')).where('slug', p('slug')).select('id'),
);

/** Id of the product with a slug; whoever writes an event of it knows the product, whatever its key is confined to. */
export const idOfSlug = async (ctx: Ctx, slug: string): Promise<string | null> =>
  (await idBySlug.first(ctx.db, { tenant_id: ctx.tenantId, slug }))?.id ?? null;

const releasesOf = statement<{ tenant_id: string; id: string }, { releases_version: number }>((q, p) =>
  q(TABLE).where('id', p('id')).where('tenant_id', p('tenant_id')).select('releases_version'),
);

/** Rises with each change to the releases of a product; null for an unknown one. */
export const releasesVersionOf = async (ctx: Ctx, id: string): Promise<number | null> =>
  (await releasesOf.first(ctx.db, { tenant_id: ctx.tenantId, id }))?.releases_version ?? null;

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
  const row: object | undefined = await ctx.db
    .knex(TABLE)
    .where({ tenant_id: ctx.tenantId, ...named })
    .forUpdate()
    .first();
  return visible(ctx, row);
}

function visible(ctx: Ctx, row: object | undefined): Product | null {
  if (!row) return null;
  const product = productRecord.read(row);
  return reaches(ctx.actor, 'license_product', product.id) ? product : null;
}

/** Throws a unique violation for a taken slug, a foreign key violation for a policy or format that is gone. */
export async function insert(ctx: Ctx, product: Product): Promise<void> {
  await ctx.db.knex(TABLE).insert(productRecord.write(product));
}

/** Throws as `insert` does. */
export async function update(ctx: Ctx, product: Product): Promise<void> {
  await ctx.db.knex(TABLE).where({ id: product.id }).update(productRecord.write(product));
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

/** Key ids of the signing keys of a product. */
export const listSigningKeyIds = async (ctx: Ctx, productId: string): Promise<string[]> =>
  (
    await ctx.db
      .knex('license_signing_keys')
      .where({ product_id: productId })
      .orderBy('id')
      .select<{ key_id: string }[]>('key_id')
  ).map((key) => key.key_id);

/** Throws a foreign key violation when something refers to the product. */
export async function remove(ctx: Ctx, productId: string): Promise<void> {
  await ctx.db.knex(TABLE).where({ id: productId }).delete();
}

/** Something that names a policy of its own, or none. */
export interface PolicyLink {
  id: string;
  policyId: string | null;
}

/** A product by id or slug, locked; null when the caller may not know of it. */
export async function lockPolicyLink(ctx: Ctx, idOrSlug: string): Promise<PolicyLink | null> {
  const named = isId(ids.product, idOrSlug) ? { id: idOrSlug } : { slug: idOrSlug };
  const row: { id: string; policy_id: string | null } | undefined = await ctx.db
    .knex(TABLE)
    .where({ tenant_id: ctx.tenantId, ...named })
    .forUpdate()
    .first('id', 'policy_id');
  if (!row || !reaches(ctx.actor, 'license_product', row.id)) return null;
  return { id: row.id, policyId: row.policy_id };
}

/** Names a policy on a product, null for none; throws a foreign key violation when the policy is gone. */
export async function linkPolicy(ctx: Ctx, productId: string, policyId: string | null): Promise<void> {
  await ctx.db.knex(TABLE).where({ id: productId }).update({ policy_id: policyId, updated_at: ctx.now() });
}

/**
 * Tells everybody who remembers the releases of some products that they are old.
 *
 * @returns how many of the products there are
 */
export const raiseReleases = (ctx: Ctx, productIds: readonly string[]): Promise<number> =>
  ctx.db
    .knex(TABLE)
    .whereIn('id', [...productIds])
    .increment('releases_version', 1);
