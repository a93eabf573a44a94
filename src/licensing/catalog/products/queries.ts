import type { Ctx } from '#kernel/context.ts';
import { filter } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import { LICENSING_MODES, PRODUCT_STATUSES, PRODUCT_TYPES } from '#licensing/contract/enumerations.ts';
import { compareVersions } from '#licensing/version-order.ts';
import * as keyFormats from '../key-formats/index.ts';
import * as policies from '../policies/index.ts';
import { type Product, productRecord } from './record.ts';

const TABLE = productRecord.table;

/** Products that the actor may see. */
export const productRows = selection<Product>({
  from: ({ db }) => db.knex(TABLE),
  id: 'id',
  scope: { tenant: 'tenant_id', license_product: 'id' },
  columns: ['*'],
  read: productRecord.read,
  filters: {
    status: filter.choice(PRODUCT_STATUSES, {
      label: 'Status',
      column: 'status',
    }),
    type: filter.choice(PRODUCT_TYPES, { label: 'Type', column: 'type' }),
    licensingMode: filter.choice(LICENSING_MODES, {
      label: 'Mode',
      column: 'licensing_mode',
    }),
    policyId: filter.lookup({
      label: 'Policy',
      column: 'policy_id',
      resource: 'policies',
      id: async (ctx, named) => (await policies.get(ctx, named)).id,
    }),
    keyFormatId: filter.lookup({
      label: 'Key format',
      column: 'key_format_id',
      resource: 'key-formats',
      id: async (ctx, named) => (await keyFormats.get(ctx, named)).id,
    }),
    created: filter.times({ label: 'Created', column: 'created_at' }),
    metadata: filter.pair({ label: 'Metadata', column: 'metadata' }),
  },
  search: { placeholder: 'Name or slug', by: ['name', 'slug'] },
  sorts: {
    name: 'name',
    slug: 'slug',
    status: 'status',
    type: 'type',
    created: 'created_at',
    updated: 'updated_at',
  },
  initial: 'name',
});

/** What belongs to a product. */
export interface ProductFigures {
  /** Without trashed ones and canary keys. */
  licenses: number;
  /** The highest version that is published, of every channel; null when none is. */
  newestRelease: string | null;
}

/** Figures of the products of a page, of which the actor may see all: two questions for all of them. */
export async function figuresOf(ctx: Ctx, ids: readonly string[]): Promise<(id: string) => ProductFigures> {
  const { knex } = ctx.db;
  const licenses = ids.length === 0 ? new Map<string, number>() : await countLicenses(ctx);
  const published: { product_id: string; version: string }[] = await knex('license_releases')
    .whereIn('product_id', [...ids])
    .where({ state: 'PUBLISHED' })
    .where('published_at', '<=', ctx.now())
    .distinct('product_id', 'version');
  const newest = new Map<string, string>();
  for (const { product_id, version } of published) {
    const known = newest.get(product_id);
    if (known === undefined || compareVersions(version, known) > 0) newest.set(product_id, version);
  }
  return (id) => ({ licenses: licenses.get(id) ?? 0, newestRelease: newest.get(id) ?? null });
}

/**
 * Licenses of each product of the tenant. Groups in the order of the index that holds all that is asked: of 100,000 licenses
 * no row is read, and none is sorted. Asked by product alone, either happens.
 */
async function countLicenses({ db, tenantId }: Ctx): Promise<ReadonlyMap<string, number>> {
  const rows: { product_id: string; n: unknown }[] = await db
    .knex('licenses')
    .where({ tenant_id: tenantId, deleted_at: null, honeypot: false })
    .groupBy('status', 'type', 'tier', 'product_id')
    .select('product_id')
    .count({ n: '*' });
  const counts = new Map<string, number>();
  for (const { product_id, n } of rows) counts.set(product_id, (counts.get(product_id) ?? 0) + Number(n));
  return counts;
}
