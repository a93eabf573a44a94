import { moneyWords } from '#kernel/money-words.ts';
import { storeScreen } from '#platform/admin/index.ts';
import { picturesTab } from './pages.ts';
import { OptionView, StoreProductView, VariantView } from './view.ts';

/** An amount as people read it: the smallest unit of its currency is what is stored. */
const amount = (cents: number | null, currency: string | null): string | null => {
  if (cents === null || currency === null) return null;
  return moneyWords({ amountCents: cents, currency }, 'en');
};

const priceRange = (product: {
  readonly priceCents: number | null;
  readonly priceMaxCents: number | null;
  readonly currency: string | null;
}): string | null => {
  const from = amount(product.priceCents, product.currency);
  const to = amount(product.priceMaxCents, product.currency);
  return from === to ? from : `${from} to ${to}`;
};

/** Products of the shop in the panel. */
export const shopProductScreen = storeScreen(StoreProductView, {
  path: '/store/products',
  area: 'store',
  order: 20,
  title: ({ title }) => title,
  columns: {
    title: {},
    picture: {
      label: 'Picture',
      kind: 'image',
      value: ({ media }) => media.find(({ variants }) => variants !== null)?.variants?.thumbnail.url ?? null,
    },
    status: {},
    type: {},
    price: { label: 'Price', kind: 'number', value: priceRange },
    tags: { kind: 'tags' },
    slug: { hidden: true },
    createdAt: { label: 'Created', sort: 'created', hidden: true },
    updatedAt: { label: 'Changed', sort: 'updated' },
  },
  labels: {
    slug: 'Address in the shop',
    descriptionHtml: 'Description',
    shortDescription: 'Short description',
    isDiscountable: 'Coupons apply',
    isTaxable: 'Taxed',
    minQuantity: 'Smallest quantity',
    maxQuantity: 'Largest quantity',
    publishAt: 'Shown from',
    seoTitle: 'Title for search engines',
    seoDescription: 'Description for search engines',
  },
  facts: {
    status: {},
    type: {},
    price: { label: 'Price', value: priceRange },
    slug: { kind: 'code' },
    brand: {},
    tags: { kind: 'tags' },
    categories: { kind: 'tags', value: ({ categories }) => categories.map(({ name }) => name) },
    collections: { kind: 'tags', value: ({ collections }) => collections.map(({ name }) => name) },
    shortDescription: {},
    publishAt: { kind: 'date' },
    minQuantity: {},
    maxQuantity: {},
    isDiscountable: {},
    isTaxable: {},
    version: {},
    createdAt: { label: 'Created', kind: 'date' },
    updatedAt: { label: 'Changed', kind: 'date' },
    id: {},
  },
  values: ({ seo, ...product }) => ({ ...product, seoTitle: seo.title, seoDescription: seo.description }),
  sections: {
    create: [
      { title: 'Product', fields: ['title', 'type', 'brand', 'shortDescription', 'descriptionHtml', 'tags'] },
    ],
  },
  fields: {
    title: { example: 'Linen shirt' },
    slug: { help: 'Empty: made from the title. The old address keeps leading here.' },
    descriptionHtml: { kind: 'textarea', help: 'HTML is cleaned: scripts and styles are taken out.' },
    shortDescription: { kind: 'textarea' },
    tags: { help: 'One per line.' },
    publishAt: { help: 'Empty: at once, as soon as the product is active.' },
    // Made on the pages of the product: a form has no field for a list of objects.
    options: { kind: 'hidden' },
    variants: { kind: 'hidden' },
    mediaIds: { kind: 'hidden' },
    categoryIds: { kind: 'hidden' },
    collectionIds: { kind: 'hidden' },
  },
  tabs: {
    variants: { label: 'Variants', of: 'shop-variants', named: ({ id }) => ({ productId: id }) },
    pictures: { label: 'Pictures', template: 'store/product-pictures', load: picturesTab },
    options: { label: 'Options', of: 'shop-options', named: ({ id }) => ({ productId: id }) },
  },
  undo: {},
  empty: {
    text: 'A product is what shoppers find and buy. Each variant of it has an SKU and a price.',
    docs: 'glossary',
    cli: null,
  },
});

/** What is bought of a product, in the panel. */
export const variantScreen = storeScreen(VariantView, {
  path: '/store/products/{productId}/variants',
  itemsAt: '/store/variants',
  area: 'store',
  nav: null,
  title: ({ sku }) => sku,
  columns: {
    sku: { kind: 'code' },
    title: {},
    price: {
      label: 'Price',
      kind: 'number',
      value: ({ priceCents, currency }) => amount(priceCents, currency),
      sort: 'price',
    },
    compareAt: {
      label: 'Compare at',
      kind: 'number',
      value: ({ compareAtCents, currency }) => amount(compareAtCents, currency),
    },
    barcode: { kind: 'code', hidden: true },
    weightG: { label: 'Weight (g)', hidden: true },
    isDefault: { label: 'Shown first' },
  },
  labels: {
    sku: 'SKU',
    priceCents: 'Price (cents)',
    compareAtCents: 'Compare at (cents)',
    costCents: 'Cost (cents)',
    weightG: 'Weight (g)',
    lengthMm: 'Length (mm)',
    widthMm: 'Width (mm)',
    heightMm: 'Height (mm)',
    requiresShipping: 'Is shipped',
    isDefault: 'Shown first',
    optionValues: 'Options',
  },
  fields: {
    priceCents: { help: 'In the smallest unit of the currency of the shop: 2500 is 25.00.' },
    compareAtCents: { help: 'The price before, which the shop strikes through.' },
    optionValues: { help: 'Such as {"Color": "Red", "Size": "M"}.' },
  },
  empty: {
    text: 'A product can be published when it has a variant: its SKU and its price.',
    docs: 'glossary',
    cli: null,
  },
});

/** In what the variants of a product differ, in the panel. */
export const optionScreen = storeScreen(OptionView, {
  path: '/store/products/{productId}/options',
  itemsAt: '/store/options',
  area: 'store',
  nav: null,
  title: ({ name }) => name,
  columns: {
    name: {},
    values: { kind: 'tags', value: ({ values }) => values.map(({ value }) => value) },
    position: {},
  },
  facts: {
    name: {},
    values: { kind: 'tags', value: ({ values }) => values.map(({ value }) => value) },
    position: {},
    id: {},
  },
  fields: { name: { example: 'Color' }, values: { help: 'One per line, such as Red.' } },
  empty: {
    text: 'Variants of a product differ in its options, such as color and size. At most three.',
    docs: 'glossary',
    cli: null,
  },
});
