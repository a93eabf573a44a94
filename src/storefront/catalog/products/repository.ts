import type { Ctx } from '#kernel/context.ts';
import { raiseCounter } from '#kernel/db/counters.ts';
import { containsPattern } from '#kernel/db/dialect.ts';
import { lockName } from '#kernel/db/named-lock.ts';
import { statement } from '#kernel/db/statement.ts';
import {
  type Option,
  type OptionValue,
  optionRecord,
  optionValueRecord,
  type Product,
  type ProductMedia,
  productMediaRecord,
  type Relation,
  relationRecord,
  shopProductRecord,
  slugRedirectRecord,
  tagRecord,
  type Variant,
  type VariantValue,
  variantRecord,
  variantValueRecord,
} from './record.ts';

const PRODUCTS = shopProductRecord.table;
const VARIANTS = variantRecord.table;
const OPTIONS = optionRecord.table;
const VALUES = optionValueRecord.table;
const LINKS = variantValueRecord.table;
const TAGS = tagRecord.table;
const RELATIONS = relationRecord.table;
const REDIRECTS = slugRedirectRecord.table;
const PICTURES = productMediaRecord.table;

/** Rises with every change of a product, in its transaction: what lists keep in memory is old then. */
export const CATALOG_COUNTER = 'shop_catalog';

/** What the shop shows of a product has changed without the product: its lists are read anew. */
export const catalogChanged = (ctx: Ctx): Promise<number> => raiseCounter(ctx, CATALOG_COUNTER);

/** The product, locked until the end of the transaction with everything that is part of it; null when unknown. */
export async function lockProduct({ db }: Ctx, id: string): Promise<Product | null> {
  const row: object | undefined = await db.knex(PRODUCTS).where({ id }).forUpdate().first();
  return row ? shopProductRecord.read(row) : null;
}

/** Throws a unique violation for a taken slug. */
export async function insertProduct(ctx: Ctx, product: Product): Promise<void> {
  await ctx.db.knex(PRODUCTS).insert(shopProductRecord.write(product));
  await raiseCounter(ctx, CATALOG_COUNTER);
}

/** Throws as `insertProduct` does. */
export async function updateProduct(ctx: Ctx, product: Product): Promise<void> {
  await ctx.db.knex(PRODUCTS).where({ id: product.id }).update(shopProductRecord.write(product));
  await raiseCounter(ctx, CATALOG_COUNTER);
}

/** Deletes a product and all that is part of it; throws a foreign key violation when something else refers to it. */
export async function removeProduct(ctx: Ctx, id: string): Promise<void> {
  const { knex } = ctx.db;
  const own = knex(OPTIONS).where({ product_id: id }).select('id');
  await knex(LINKS).whereIn('option_id', own.clone()).delete();
  await knex(VARIANTS).where({ product_id: id }).delete();
  await knex(VALUES).whereIn('option_id', own.clone()).delete();
  await knex(OPTIONS).where({ product_id: id }).delete();
  await knex(TAGS).where({ product_id: id }).delete();
  await knex(PICTURES).where({ product_id: id }).delete();
  await knex(RELATIONS).where({ product_id: id }).orWhere({ related_id: id }).delete();
  await knex(REDIRECTS).where({ product_id: id }).delete();
  await knex(PRODUCTS).where({ id }).delete();
  await raiseCounter(ctx, CATALOG_COUNTER);
}

/** Whether a variant of the product, removed ones among them, stands in an order. */
export async function isOrdered({ db }: Ctx, productId: string): Promise<boolean> {
  const where = { product_id: productId, is_ordered: true };
  return (await db.knex(VARIANTS).where(where).first('id')) !== undefined;
}

/** Slugs are decided one after the other; holds them until the transaction ends. */
export const lockSlugs = ({ db }: Ctx): Promise<void> => lockName(db, 'shop-product-slugs');

/** Slugs of products, and those that led to one before, that begin with a text. */
export async function slugsFrom({ db }: Ctx, start: string): Promise<Set<string>> {
  // A slug holds no wildcard.
  const pattern = containsPattern(start).slice(1);
  const slugs = async (table: string): Promise<string[]> => {
    const rows: { slug: string }[] = await db.knex(table).where('slug', 'like', pattern).select('slug');
    return rows.map(({ slug }) => slug);
  };
  return new Set([...(await slugs(PRODUCTS)), ...(await slugs(REDIRECTS))]);
}

/** Leads an old slug to its product. */
export async function redirect({ db }: Ctx, slug: string, productId: string, now: string): Promise<void> {
  await db.knex(REDIRECTS).insert(slugRedirectRecord.write({ slug, productId, createdAt: now }));
}

/** A slug that a product takes leads nowhere else. */
export async function dropRedirect({ db }: Ctx, slug: string): Promise<void> {
  await db.knex(REDIRECTS).where({ slug }).delete();
}

/** The tags of a product, in place of those that it has. */
export async function replaceTags({ db }: Ctx, productId: string, tags: readonly string[]): Promise<void> {
  await db.knex(TAGS).where({ product_id: productId }).delete();
  if (tags.length > 0) await db.knex(TAGS).insert(tags.map((tag) => tagRecord.write({ productId, tag })));
}

/** The pictures of a product as they are linked, in their order. */
export async function picturesOf({ db }: Ctx, productId: string): Promise<ProductMedia[]> {
  const rows: object[] = await db
    .knex(PICTURES)
    .where({ product_id: productId })
    .orderBy(['position', 'media_id']);
  return rows.map(productMediaRecord.read);
}

/** In place of those that it has; throws a foreign key violation for a picture that does not exist. */
export async function replacePictures(
  { db }: Ctx,
  productId: string,
  pictures: readonly ProductMedia[],
): Promise<void> {
  await db.knex(PICTURES).where({ product_id: productId }).delete();
  if (pictures.length > 0)
    await db.knex(PICTURES).insert(pictures.map((one) => productMediaRecord.write(one)));
}

/** What is shown beside a product, in its order. */
export async function relationsOf({ db }: Ctx, productId: string): Promise<Relation[]> {
  const rows: object[] = await db
    .knex(RELATIONS)
    .where({ product_id: productId })
    .orderBy(['position', 'related_id', 'kind']);
  return rows.map(relationRecord.read);
}

/** What is shown beside products: by the slugs of the other ones, each product's in their order. */
export const relationsFrom = async (
  { db }: Ctx,
  productIds: readonly string[],
): Promise<{ product_id: string; slug: string; kind: Relation['kind'] }[]> =>
  db
    .knex({ r: RELATIONS })
    .join({ p: PRODUCTS }, 'p.id', 'r.related_id')
    .whereIn('r.product_id', [...productIds])
    .orderBy(['r.product_id', 'r.position', 'r.related_id', 'r.kind'])
    .select('r.product_id', 'p.slug', 'r.kind');

/** In place of those that it has; throws a foreign key violation for an unknown product. */
export async function replaceRelations(
  { db }: Ctx,
  productId: string,
  relations: readonly Relation[],
): Promise<void> {
  await db.knex(RELATIONS).where({ product_id: productId }).delete();
  if (relations.length > 0)
    await db.knex(RELATIONS).insert(relations.map((one) => relationRecord.write(one)));
}

/** Throws a unique violation for a taken SKU or combination. */
export async function insertVariants({ db }: Ctx, variants: readonly Variant[]): Promise<void> {
  if (variants.length > 0) await db.knex(VARIANTS).insert(variants.map((one) => variantRecord.write(one)));
}

/** Throws as `insertVariants` does. */
export async function updateVariant({ db }: Ctx, variant: Variant): Promise<void> {
  await db.knex(VARIANTS).where({ id: variant.id }).update(variantRecord.write(variant));
}

/** Deletes a variant. */
export async function removeVariant({ db }: Ctx, id: string): Promise<void> {
  await db.knex(VARIANTS).where({ id }).delete();
}

const ordered = statement<{ id: string }>((q, p) =>
  q(VARIANTS).where('id', p('id')).where('is_ordered', false).update({ is_ordered: true }),
);
/** Notes of variants that they stand in an order: once for each. */
export async function markOrdered({ db }: Ctx, ids: readonly string[]): Promise<void> {
  await Promise.all(ids.map((id) => ordered.run(db, { id })));
}

/** SKUs of other variants among some, in capitals. */
export async function takenSkus({ db }: Ctx, norms: readonly string[]): Promise<Set<string>> {
  const rows: { sku_norm: string }[] = await db
    .knex(VARIANTS)
    .whereIn('sku_norm', [...norms])
    .where({ deleted_at: null })
    .select('sku_norm');
  return new Set(rows.map(({ sku_norm }) => sku_norm));
}

/** The values that a variant has, in place of those before. */
export async function replaceLinks(
  { db }: Ctx,
  variantId: string,
  links: readonly VariantValue[],
): Promise<void> {
  await db.knex(LINKS).where({ variant_id: variantId }).delete();
  await insertLinks({ db }, links);
}

export async function insertLinks({ db }: Pick<Ctx, 'db'>, links: readonly VariantValue[]): Promise<void> {
  if (links.length > 0) await db.knex(LINKS).insert(links.map((one) => variantValueRecord.write(one)));
}

/** Throws a unique violation for a taken name. */
export async function insertOption({ db }: Ctx, option: Option): Promise<void> {
  await db.knex(OPTIONS).insert(optionRecord.write(option));
}

/** Throws as `insertOption` does. */
export async function updateOption({ db }: Ctx, option: Option): Promise<void> {
  await db.knex(OPTIONS).where({ id: option.id }).update(optionRecord.write(option));
}

/** Deletes an option with its values; throws a foreign key violation when a variant has one of them. */
export async function removeOption({ db }: Ctx, id: string): Promise<void> {
  await db.knex(VALUES).where({ option_id: id }).delete();
  await db.knex(OPTIONS).where({ id }).delete();
}

/** Throws a unique violation for a value that the option has. */
export async function insertValues({ db }: Ctx, values: readonly OptionValue[]): Promise<void> {
  if (values.length > 0) await db.knex(VALUES).insert(values.map((one) => optionValueRecord.write(one)));
}

/** Throws as `insertValues` does. */
export async function updateValue({ db }: Ctx, value: OptionValue): Promise<void> {
  await db.knex(VALUES).where({ id: value.id }).update(optionValueRecord.write(value));
}

/** Throws a foreign key violation when a variant has it. */
export async function removeValue({ db }: Ctx, id: string): Promise<void> {
  await db.knex(VALUES).where({ id }).delete();
}

const relatedTo = statement<{ id: string }, { related_id: string }>((q, p) =>
  q(relationRecord.table)
    .where('product_id', p('id'))
    .orderBy(['position', 'related_id', 'kind'])
    .select('related_id'),
);

/** Ids of what is shown beside a product, each once, in their order. */
export const relatedIds = async ({ db }: Ctx, id: string): Promise<string[]> => [
  ...new Set((await relatedTo.all(db, { id })).map((row) => row.related_id)),
];
