import type { Ctx } from '#kernel/context.ts';
import type { Knex } from '#kernel/db/database.ts';
import { filter, matching } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import { statement } from '#kernel/db/statement.ts';
import { mediaByIds, mediaRecord } from '#platform/media/index.ts';
import { productsWithLow } from '../inventory/index.ts';
import { inCategories, inCollections, placesFor, placesOfOne } from './places/queries.ts';
import {
  normed,
  type Option,
  type OptionValue,
  optionRecord,
  optionValueRecord,
  PRODUCT_STATUSES,
  PRODUCT_TYPES,
  type Product,
  productMediaRecord,
  shopProductRecord,
  slugRedirectRecord,
  tagRecord,
  type Variant,
  variantRecord,
  variantValueRecord,
} from './record.ts';
import { stockOfProduct, stockOfVariants } from './stock.ts';
import { tiersFor, tiersOfOne } from './tiers/queries.ts';
import { assemble, type OptionRow, type PictureOf, type Whole } from './whole.ts';

const VARIANTS = variantRecord.table;

/** Products of the shop: it belongs to one tenant (storefront-domain 13). */
export const shopProductRows = selection<Product>({
  from: ({ db }) => db.knex(shopProductRecord.table),
  id: 'id',
  scope: 'none',
  columns: ['*'],
  read: shopProductRecord.read,
  filters: {
    status: filter.choice(PRODUCT_STATUSES, { label: 'Status', column: 'status' }),
    type: filter.choice(PRODUCT_TYPES, { label: 'Type', column: 'type' }),
    tag: filter.text({
      label: 'Tag',
      column: (query, tag, { db }) =>
        void query.whereIn(
          'id',
          db.knex(tagRecord.table).where('tag_norm', normed(tag)).select('product_id'),
        ),
    }),
    lowStock: filter.flag({
      label: 'Stock is low',
      column: (query, isLow, { db }) =>
        void query[isLow ? 'whereIn' : 'whereNotIn']('id', productsWithLow(db.knex)),
    }),
    categoryId: filter.lookup({
      label: 'Category',
      column: (query, ids, { db }) => void query.whereIn('id', inCategories(db.knex, ids)),
      resource: 'shop-categories',
    }),
    collectionId: filter.lookup({
      label: 'Collection',
      column: (query, ids, { db }) => void query.whereIn('id', inCollections(db.knex, ids)),
      resource: 'shop-collections',
    }),
    brand: filter.text({ label: 'Brand', column: 'brand' }),
    created: filter.times({ label: 'Created', column: 'created_at' }),
  },
  search: {
    placeholder: 'Title, slug or SKU',
    by: (query, text, { db }) => {
      const bySku = db.knex(VARIANTS).where({ deleted_at: null }).select('product_id');
      matching(bySku, 'sku', text, 'contains');
      query.where((any) => {
        for (const column of ['title', 'slug'])
          any.orWhere((each) => matching(each, column, text, 'contains'));
        any.orWhereIn('id', bySku);
      });
    },
  },
  sorts: { created: 'created_at', title: 'title', updated: 'updated_at' },
  initial: '-created',
});

/** Variants that can be bought or could be: removed ones are left out. */
export const variantRows = selection<Variant>({
  from: ({ db }) => db.knex(VARIANTS).where({ deleted_at: null }),
  id: 'id',
  scope: 'none',
  columns: ['*'],
  read: variantRecord.read,
  filters: {
    productId: filter.lookup({ label: 'Product', column: 'product_id', resource: 'shop-products' }),
    sku: filter.text({ label: 'SKU', column: (query, sku) => void query.where('sku_norm', normed(sku)) }),
    barcode: filter.text({ label: 'Barcode', column: 'barcode' }),
  },
  search: { placeholder: 'SKU, barcode or title', by: ['sku', 'barcode', 'title'] },
  sorts: { position: 'position', sku: 'sku_norm', created: 'created_at', price: 'price_cents' },
  initial: 'position',
});

export const optionRows = selection<Option>({
  from: ({ db }) => db.knex(optionRecord.table),
  id: 'id',
  scope: 'none',
  columns: ['*'],
  read: optionRecord.read,
  filters: {
    productId: filter.lookup({ label: 'Product', column: 'product_id', resource: 'shop-products' }),
  },
  sorts: { position: 'position', name: 'name' },
  initial: 'position',
});

export const optionValueRows = selection<OptionValue>({
  from: ({ db }) => db.knex(optionValueRecord.table),
  id: 'id',
  scope: 'none',
  columns: ['*'],
  read: optionValueRecord.read,
  filters: {
    optionId: filter.lookup({ label: 'Option', column: 'option_id', resource: 'shop-options' }),
  },
  sorts: { position: 'position', value: 'value' },
  initial: 'position',
});

/** Options with their values and the variants that have them; `q` begins the query. */
const optionsOf = (q: Knex): Knex.QueryBuilder =>
  q({ o: optionRecord.table })
    .leftJoin({ v: optionValueRecord.table }, 'v.option_id', 'o.id')
    .leftJoin({ l: variantValueRecord.table }, 'l.value_id', 'v.id')
    .orderBy(['o.position', 'o.id', 'v.position', 'v.id'])
    .select(
      'o.product_id',
      'o.id',
      'o.name',
      'o.position',
      'v.value',
      'v.swatch_hex',
      'v.media_id',
      'l.variant_id',
    )
    .select({ value_id: 'v.id', value_position: 'v.position' });

const variantOrder = ['position', 'id'];

interface PictureRow {
  readonly product_id: string;
  readonly own_alt: string | null;
  readonly variant_id: string | null;
}

/** Pictures of products in their order; `q` begins the query. */
const picturesOf = (q: Knex): Knex.QueryBuilder =>
  q({ l: productMediaRecord.table })
    .join({ m: mediaRecord.table }, 'm.id', 'l.media_id')
    .orderBy(['l.position', 'l.media_id'])
    .select('m.*', 'l.product_id', 'l.variant_id')
    .select({ own_alt: 'l.alt' });

function pictureIn(row: PictureRow): PictureOf {
  const media = mediaRecord.read(row);
  return { media, alt: row.own_alt ?? media.alt, variantId: row.variant_id };
}

/** The pictures of option values: asked for only where there are some. */
const swatchesOf = (ctx: Ctx, options: readonly OptionRow[]) =>
  mediaByIds(
    ctx,
    options.flatMap(({ media_id }) => media_id ?? []),
  );

/** Products with everything that is part of them, in their order: eight questions, however many there are. */
export async function wholesOf(ctx: Ctx, products: readonly Product[]): Promise<Whole[]> {
  const { db } = ctx;
  const ids = products.map(({ id }) => id);
  if (ids.length === 0) return [];
  const variants: object[] = await db
    .knex(VARIANTS)
    .whereIn('product_id', ids)
    .where({ deleted_at: null })
    .orderBy(variantOrder);
  const options: OptionRow[] = await optionsOf(db.knex).whereIn('o.product_id', ids);
  const tags: { product_id: string; tag: string }[] = await db
    .knex(tagRecord.table)
    .whereIn('product_id', ids)
    .orderBy('tag_norm');
  const pictures: PictureRow[] = await picturesOf(db.knex).whereIn('l.product_id', ids);
  const placesBy = await placesFor(db, ids);
  const tiersBy = await tiersFor(db, ids);
  const swatches = await swatchesOf(ctx, options);
  const read = variants.map(variantRecord.read);
  const stock = await stockOfVariants(ctx, read);
  const picturesBy = Map.groupBy(pictures, ({ product_id }) => product_id);
  const byProduct = Map.groupBy(read, ({ productId }) => productId);
  const optionsBy = Map.groupBy(options, ({ product_id }) => product_id);
  const tagsBy = Map.groupBy(tags, ({ product_id }) => product_id);
  return products.map((product) =>
    assemble(
      product,
      byProduct.get(product.id) ?? [],
      optionsBy.get(product.id) ?? [],
      (tagsBy.get(product.id) ?? []).map(({ tag }) => tag),
      (picturesBy.get(product.id) ?? []).map(pictureIn),
      placesBy.get(product.id) ?? [],
      tiersBy.get(product.id) ?? [],
      swatches,
      stock,
    ),
  );
}

const productBySlug = statement<{ slug: string }>((q, p) =>
  q(shopProductRecord.table).where('slug', p('slug')).select('*'),
);
const productByOldSlug = statement<{ slug: string }>((q, p) =>
  q({ r: slugRedirectRecord.table })
    .join({ p: shopProductRecord.table }, 'p.id', 'r.product_id')
    .where('r.slug', p('slug'))
    .select('p.*'),
);
const variantsOfProduct = statement<{ id: string }>((q, p) =>
  q(VARIANTS).where('product_id', p('id')).whereNull('deleted_at').orderBy(variantOrder).select('*'),
);
const optionsOfProduct = statement<{ id: string }, OptionRow>((q, p) =>
  optionsOf(q).where('o.product_id', p('id')),
);
const tagsOfProduct = statement<{ id: string }, { tag: string }>((q, p) =>
  q(tagRecord.table).where('product_id', p('id')).orderBy('tag_norm').select('tag'),
);
const picturesOfProduct = statement<{ id: string }, PictureRow>((q, p) =>
  picturesOf(q).where('l.product_id', p('id')),
);

/** The product with a slug, or with one that it had before; null when there is none. */
export async function productOfSlug({ db }: Ctx, slug: string): Promise<Product | null> {
  const row = (await productBySlug.first(db, { slug })) ?? (await productByOldSlug.first(db, { slug }));
  return row === undefined ? null : shopProductRecord.read(row);
}

/** One product with everything that is part of it. */
export async function wholeOf(ctx: Ctx, product: Product): Promise<Whole> {
  const { db } = ctx;
  const { id } = product;
  const [variants, options, tags, pictures, places, tiers, stock] = await Promise.all([
    variantsOfProduct.all(db, { id }),
    optionsOfProduct.all(db, { id }),
    tagsOfProduct.all(db, { id }),
    picturesOfProduct.all(db, { id }),
    placesOfOne(db, id),
    tiersOfOne(db, id),
    stockOfProduct(ctx, id),
  ]);
  return assemble(
    product,
    variants.map(variantRecord.read),
    options,
    tags.map(({ tag }) => tag),
    pictures.map(pictureIn),
    places,
    tiers,
    await swatchesOf(ctx, options),
    stock,
  );
}

/** Those of the products that are active. */
export async function listActive({ db }: Ctx, ids: readonly string[]): Promise<Product[]> {
  const rows: object[] = await db
    .knex(shopProductRecord.table)
    .whereIn('id', [...ids])
    .where({ status: 'active' });
  return rows.map(shopProductRecord.read);
}

/** So many values are asked for in one question. */
const AT_ONCE = 1000;

/** Ids of products by their slugs; what does not exist is left out. */
export async function idsBySlug({ db }: Ctx, slugs: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (let from = 0; from < slugs.length; from += AT_ONCE) {
    const rows: { id: string; slug: string }[] = await db
      .knex(shopProductRecord.table)
      .whereIn('slug', slugs.slice(from, from + AT_ONCE))
      .select('id', 'slug');
    for (const { id, slug } of rows) found.set(slug, id);
  }
  return found;
}
