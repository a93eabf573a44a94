import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { later } from '#kernel/sharing.ts';
import { action, adminResource, answering, type How } from '#platform/admin/index.ts';
import { bulkActions } from './bulk.ts';
import { duplicate } from './duplicate.ts';
import { byName } from './named.ts';
import { OptionValueView, OptionView, optionView, valuesShown } from './option-view.ts';
import * as options from './options.ts';
import * as products from './products.ts';
import { optionRows, optionValueRows, shopProductRows, variantRows, wholesOf } from './queries.ts';
import type { Option, OptionValue, Product, Variant } from './record.ts';
import {
  Copy,
  OptionCreate,
  OptionUpdate,
  ProductCreate,
  ProductUpdate,
  Publication,
  ValueCreate,
  ValueUpdate,
  VariantCreate,
  VariantUpdate,
} from './schemas.ts';
import { optionScreen, shopProductScreen, variantScreen } from './screen.ts';
import * as variants from './variants.ts';
import { StoreProductView, storeProductView, VariantView, variantView } from './view.ts';

/** An action that takes nothing but the version it is meant for. */
const Bare = z.strictObject({});
const needs = { read: 'products:read', write: 'products:write' } as const;
const Removed = later(() =>
  z.object({ deleted: z.literal(true), archived: z.boolean() }).meta({ id: 'ProductRemoved' }),
);

/** The products that some rows belong to, put together: three questions for all of them. */
async function wholesFor(ctx: Ctx, rows: readonly { productId: string }[]) {
  const found = await shopProductRows.of(ctx, [...new Set(rows.map(({ productId }) => productId))]);
  return wholesOf(ctx, found);
}

const variantViews = async (rows: readonly Variant[], ctx: Ctx) => {
  const known = new Map((await wholesFor(ctx, rows)).flatMap((one) => one.variants.map((v) => [v.id, v])));
  return rows.map((row) =>
    variantView(known.get(row.id) ?? { ...row, chosen: [], mediaId: null, tiers: [], stock: null }),
  );
};

const optionViews = async (rows: readonly Option[], ctx: Ctx) => {
  const known = new Map((await wholesFor(ctx, rows)).flatMap((one) => one.options.map((o) => [o.id, o])));
  return rows.map((row) => optionView(known.get(row.id) ?? { ...row, values: [] }));
};

const inProduct = {
  name: 'productId',
  filter: 'productId',
  find: async (ctx: Ctx, id: string) => (await products.get(ctx, id)).id,
};
const above = ({ named }: How, name: string): string => named[name] ?? '';

/** What the shop sells, for staff (storefront-api.md, S). */
export const shopProductResource = adminResource<Product, typeof ProductCreate, typeof ProductUpdate>({
  name: 'shop-products',
  labels: { one: 'product', many: 'products' },
  about: 'Products of the shop, with options and variants',
  needs,
  screen: shopProductScreen,
  rows: shopProductRows,
  get: byName,
  create: {
    schema: ProductCreate,
    summary: 'Create a product with its options and variants',
    run: products.create,
  },
  edit: { schema: ProductUpdate, run: products.change },
  actions: {
    publish: action<Product, typeof Publication>({
      label: 'Publish',
      summary: 'Show a product in the shop, now or from a set time',
      needs: needs.write,
      level: 'mild',
      where: 'both',
      input: Publication,
      conditional: true,
      when: ({ status }) => status !== 'active',
      run: products.publish,
    }),
    archive: action<Product, typeof Bare>({
      label: 'Archive',
      summary: 'Remove a product from the shop but keep it',
      needs: needs.write,
      level: 'moderate',
      where: 'both',
      input: Bare,
      conditional: true,
      when: ({ status }) => status !== 'archived',
      run: (ctx, id, _input, how) => products.archive(ctx, id, how),
    }),
    duplicate: action<Product, typeof Copy>({
      label: 'Duplicate',
      summary: 'Copy a product as a draft',
      needs: needs.write,
      level: 'mild',
      where: 'row',
      input: Copy,
      run: (ctx, id, { title }) => duplicate(ctx, id, title),
    }),
    ...bulkActions,
    // Its answer tells which of both it was, which the removal of the engine does not.
    remove: answering<Product, typeof Removed, typeof Bare>({
      label: 'Delete',
      summary: 'Delete a product; one with orders is archived',
      needs: needs.write,
      level: 'severe',
      where: 'row',
      input: Bare,
      method: 'delete',
      path: '',
      conditional: true,
      output: Removed,
      run: async (ctx, id, _input, how) => ({ deleted: true, ...(await products.remove(ctx, id, how)) }),
    }),
  },
  palette: { title: ({ title }) => title, hint: ({ status, slug }) => `${status}, ${slug}` },
  apis: [
    {
      surface: 'store',
      path: '/products',
      item: 'product',
      type: 'StoreProduct',
      view: StoreProductView,
      toViews: async (rows, ctx) =>
        (await wholesOf(ctx, rows)).map((one) => storeProductView(one, ctx.now())),
    },
  ],
});

/** What is bought, for staff: below its product, and on a path of its own. */
export const variantResource = adminResource<Variant, typeof VariantCreate, typeof VariantUpdate>({
  name: 'shop-variants',
  labels: { one: 'variant', many: 'variants' },
  about: 'What shoppers buy: each variant has a SKU and a price',
  needs,
  screen: variantScreen,
  rows: variantRows,
  create: {
    schema: VariantCreate,
    run: (ctx, input, how) => variants.addVariant(ctx, above(how, 'productId'), input),
  },
  edit: { schema: VariantUpdate, hasVersion: false, run: variants.changeVariant },
  remove: {
    level: 'severe',
    summary: 'Remove a variant; one with orders is hidden and kept for them',
    run: variants.removeVariant,
  },
  apis: [
    // The panel stands on the first: there a variant is made.
    {
      surface: 'store',
      path: '/products/{productId}/variants',
      itemsAt: '/variants',
      parent: inProduct,
      paged: false,
      item: 'variant',
      view: VariantView,
      toViews: variantViews,
      without: ['export', 'bulk'],
    },
    {
      surface: 'store',
      path: '/variants',
      item: 'variant',
      view: VariantView,
      toViews: variantViews,
      without: ['create', 'get', 'change', 'remove', 'export', 'bulk'],
    },
  ],
});

/** In what variants differ, for staff. */
export const optionResource = adminResource<Option, typeof OptionCreate, typeof OptionUpdate>({
  name: 'shop-options',
  labels: { one: 'option', many: 'options' },
  about: 'How the variants of a product differ, such as color',
  needs,
  screen: optionScreen,
  rows: optionRows,
  get: options.getOption,
  create: {
    schema: OptionCreate,
    run: (ctx, input, how) => options.addOption(ctx, above(how, 'productId'), input),
  },
  edit: { schema: OptionUpdate, hasVersion: false, run: options.changeOption },
  remove: {
    level: 'moderate',
    summary: 'Remove an option that no variant uses',
    run: options.removeOption,
  },
  apis: [
    {
      surface: 'store',
      path: '/products/{productId}/options',
      itemsAt: '/options',
      parent: inProduct,
      paged: false,
      item: 'option',
      type: 'ProductOption',
      view: OptionView,
      toViews: optionViews,
      without: ['export', 'bulk'],
    },
  ],
});

/** What an option may be, for staff; lists of them are part of the option. */
export const optionValueResource = adminResource<OptionValue, typeof ValueCreate, typeof ValueUpdate>({
  name: 'shop-option-values',
  labels: { one: 'option value', many: 'option values' },
  about: 'The values of a product option, such as red',
  needs,
  rows: optionValueRows,
  get: options.getValue,
  create: {
    schema: ValueCreate,
    run: (ctx, input, how) => options.addValue(ctx, above(how, 'optionId'), input),
  },
  edit: { schema: ValueUpdate, hasVersion: false, run: options.changeValue },
  remove: {
    level: 'moderate',
    summary: 'Remove an option value that no variant uses',
    run: options.removeValue,
  },
  apis: [
    {
      surface: 'store',
      path: '/options/{optionId}/values',
      itemsAt: '/option-values',
      parent: {
        name: 'optionId',
        filter: 'optionId',
        find: async (ctx, id) => (await options.getOption(ctx, id)).id,
      },
      item: 'optionValue',
      type: 'ProductOptionValue',
      view: OptionValueView,
      toViews: valuesShown,
      without: ['list', 'get', 'export', 'bulk'],
    },
  ],
});
