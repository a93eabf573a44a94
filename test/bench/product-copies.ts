// Products of which a bench needs many and reads little.
import { ids } from '#storefront/contract/ids.ts';
import { openBulkInsert } from './bulk-insert.ts';
import { type Installation, withInstance } from './seed.ts';

const AT_ONCE = 2000;

type Rows = Record<string, unknown>[];

/** A row as it can be written again: JSON comes as text. */
const written = (row: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'string' && /^[[{]/.test(value) ? JSON.parse(value) : value,
    ]),
  );

/**
 * Copies one product until the shop has so many, each with three variants in stock: reports read no more of them than
 * names and stock.
 */
export async function copyProducts({ dataDir, databaseUrl }: Installation, count: number): Promise<void> {
  await withInstance(dataDir, databaseUrl, async ({ ctx }) => {
    const { knex } = ctx.db;
    const product = written((await knex('products').first()) as Record<string, unknown>);
    const variant = written((await knex('product_variants').first()) as Record<string, unknown>);
    const level = (await knex('inventory_levels').first()) as Record<string, unknown>;
    const bulk = await openBulkInsert(databaseUrl);
    for (let from = 0; from < count; from += AT_ONCE) {
      const [products, variants, levels]: [Rows, Rows, Rows] = [[], [], []];
      for (let n = from; n < Math.min(count, from + AT_ONCE); n++) {
        const productId = ctx.newId(ids.shopProduct);
        products.push({ ...product, id: productId, slug: `copy-${n}`, title: `Copy ${n}` });
        for (let at = 0; at < 3; at++) {
          const variantId = ctx.newId(ids.variant);
          variants.push({
            ...variant,
            id: variantId,
            product_id: productId,
            sku: `COPY-${n}-${at}`,
            sku_norm: `copy-${n}-${at}`,
            option_key: String(at),
            position: at,
          });
          levels.push({ ...level, variant_id: variantId });
        }
      }
      await bulk.insert(
        new Map(
          Object.entries({ products, product_variants: variants, inventory_levels: levels }),
        ) as unknown as Parameters<typeof bulk.insert>[0],
      );
    }
    await bulk.finish();
  });
}
