import { reaches } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';
import { visibleTo } from '#kernel/db/visible.ts';
import { mappingRecord, type ProductMapping } from '../record.ts';

/** A row with the slug of its product. */
export type NamedRow = { slug: string };

const TABLE = mappingRecord.table;

const ofConfig = statement<{ config_id: string }, NamedRow>((q, p) =>
  q(`${TABLE} as m`)
    .join('license_products as p', 'p.id', 'm.product_id')
    .where('m.config_id', p('config_id'))
    .orderBy(['m.created_at', 'm.id'])
    .select('m.*', 'p.slug'),
);

/** Every mapping of an integration, oldest first. */
export const listAll = async (ctx: Ctx, configId: string): Promise<ProductMapping[]> =>
  (await ofConfig.all(ctx.db, { config_id: configId }))
    .map(toMapping)
    .filter(({ productId }) => reaches(ctx.actor, 'license_product', productId));

function named(ctx: Ctx, configId: string) {
  const query = ctx.db
    .knex(`${TABLE} as m`)
    .join('license_products as p', 'p.id', 'm.product_id')
    .where('m.config_id', configId);
  return visibleTo(ctx, query, { license_product: 'm.product_id' });
}

/** The mapping of an external id, or null. */
export async function findByExternalId(
  ctx: Ctx,
  configId: string,
  externalProductId: string,
): Promise<ProductMapping | null> {
  const row: NamedRow | undefined = await named(ctx, configId)
    .where('m.external_product_id', externalProductId)
    .first('m.*', 'p.slug');
  return row ? toMapping(row) : null;
}

/** The mapping of this id within the integration, or null. */
export async function findById(ctx: Ctx, configId: string, id: string): Promise<ProductMapping | null> {
  const row: NamedRow | undefined = await named(ctx, configId).where('m.id', id).first('m.*', 'p.slug');
  return row ? toMapping(row) : null;
}

/** Throws a foreign key violation when product or policy went meanwhile. */
export async function insert(ctx: Ctx, mapping: ProductMapping): Promise<void> {
  await ctx.db.knex(TABLE).insert(mappingRecord.write(mapping));
}

/** Throws as `insert` does, and a unique violation when another mapping has the external id. */
export async function update(ctx: Ctx, mapping: ProductMapping): Promise<void> {
  await ctx.db.knex(TABLE).where({ id: mapping.id }).update(mappingRecord.write(mapping));
}

export async function remove(ctx: Ctx, id: string): Promise<void> {
  await ctx.db.knex(TABLE).where({ id }).delete();
}

export const toMapping = (row: NamedRow): ProductMapping => ({
  ...mappingRecord.read(row),
  productSlug: row.slug,
});
