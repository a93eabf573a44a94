import { storeScreen, type Tone } from '#platform/admin/index.ts';
import { asAmount } from '#storefront/contract/amount-field.ts';
import { optionsTab } from './editors/option-pages.ts';
import { relatedTab } from './editors/related-page.ts';
import { OptionView } from './option-view.ts';
import { picturesTab } from './pages.ts';
import { amount, namedValues, priceRange, stockWords, tierWords } from './screen-words.ts';
import { StoreProductView, VariantView } from './view.ts';
import { listBrands, listTags } from './words/queries.ts';

/** Whether the shop shows it, and from when on it will. */
const statusOf = ({
  status,
  scheduledFor,
}: {
  readonly status: string;
  readonly scheduledFor: string | null;
}): string =>
  scheduledFor === null ? status : `Scheduled for ${scheduledFor.slice(0, 16).replace('T', ' ')} UTC`;

const toneOf = ({ status, scheduledFor }: Parameters<typeof statusOf>[0]): Tone => {
  if (scheduledFor !== null) return 'info';
  return status === 'active' ? 'ok' : 'muted';
};

/** Products of the shop in the panel. */
export const shopProductScreen = storeScreen(StoreProductView, {
  path: '/store/products',
  words: 'sku price variants articles',
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
    status: { kind: 'status', value: statusOf, tone: toneOf },
    type: {},
    price: { label: 'Price', kind: 'number', value: priceRange },
    brand: { hidden: true },
    tags: { kind: 'tags' },
    slug: { hidden: true },
    createdAt: { label: 'Created', sort: 'created', hidden: true },
    updatedAt: { label: 'Changed', sort: 'updated' },
  },
  labels: {
    slug: 'Slug',
    descriptionHtml: 'Description',
    shortDescription: 'Short description',
    isDiscountable: 'Coupons apply',
    isTaxable: 'Taxable',
    taxClassId: 'Tax class',
    minQuantity: 'Minimum quantity',
    maxQuantity: 'Maximum quantity',
    publishAt: 'Publish at',
    seoTitle: 'Title for search engines',
    seoDescription: 'Description for search engines',
  },
  facts: {
    status: { kind: 'status', value: statusOf, tone: toneOf },
    type: {},
    price: { label: 'Price', value: priceRange },
    slug: {
      kind: 'code',
      link: ({ status, scheduledFor, slug }) =>
        status === 'active' && scheduledFor === null ? `/shop/products/${slug}` : null,
    },
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
    brand: { suggest: async (ctx) => (await listBrands(ctx, '')).map(({ brand }) => brand) },
    tag: { suggest: async (ctx) => (await listTags(ctx, '')).map(({ tag }) => tag) },
    categoryId: { label: 'Category', of: 'shop-categories' },
    taxClassId: { of: 'shop-tax-classes', by: 'id', help: 'None: Standard.' },
    percent: {
      label: 'Change by percent',
      help: 'Such as -10 for 10% cheaper, or 2.5. Prices are rounded.',
    },
    slug: {
      help: 'Leave empty to create it from the title. Old addresses redirect here.',
    },
    descriptionHtml: { kind: 'textarea', help: 'HTML is cleaned: scripts and styles are removed.' },
    shortDescription: { kind: 'textarea' },
    tags: { help: 'One per line.' },
    publishAt: { help: 'Leave empty to publish it as soon as the product is active.' },
    // Made on the pages of the product: a form has no field for a list of objects.
    options: { kind: 'hidden' },
    variants: { kind: 'hidden' },
    mediaIds: { kind: 'hidden' },
    categoryIds: { kind: 'hidden' },
    collectionIds: { kind: 'hidden' },
  },
  tabs: {
    variants: {
      label: 'Variants',
      of: 'shop-variants',
      named: ({ id }) => ({ productId: id }),
      empty:
        'A product needs a variant with a SKU and a price before you can publish it. Add one, or start with Options for sizes or colors.',
      links: ({ id }) => [
        { label: 'Edit all variants', href: `/store/products/${id}/variants`, needs: 'products:read' },
      ],
    },
    pictures: { label: 'Pictures', template: 'store/product-pictures', load: picturesTab },
    options: { label: 'Options', template: 'store/product-options', load: optionsTab },
    related: { label: 'Related', template: 'store/product-related', load: relatedTab },
    license: {
      label: 'Licenses',
      isWith: 'license-grants',
      href: ({ id }) => `/store/products/${id}/license`,
    },
  },
  links: [
    { label: 'Brands', href: '/store/brands', needs: 'products:write' },
    { label: 'Edit in a table', href: '/store/products/grid', needs: 'products:read' },
    { label: 'Sample data', href: '/store/sample', needs: 'products:write' },
  ],
  chosenPages: [{ label: 'Edit in a table', path: '/store/products/grid/chosen', needs: 'products:write' }],
  undo: {},
  initial: { status: 'draft', isDiscountable: true, isTaxable: true },
  empty: {
    text: 'Products are what shoppers buy. Each variant has a SKU and a price. Load sample data to see what a full shop looks like.',
    docs: 'open-a-shop',
    cli: 'appctl store sample load',
  },
});

/** What is bought of a product, in the panel. */
export const variantScreen = storeScreen(VariantView, {
  path: '/store/products/{productId}/variants',
  itemsAt: '/store/variants',
  hasOwnList: true,
  area: 'store',
  nav: null,
  title: ({ sku }) => sku,
  tabs: {
    stock: { label: 'Stock', needs: 'inventory:read', href: ({ id }) => `/store/inventory/${id}` },
    // Prices stand above the catalog.
    breaks: { label: 'Quantity prices', href: ({ id }) => `/store/variants/${id}/price-tiers` },
    files: { label: 'Files', href: ({ id }) => `/store/variants/${id}/files` },
    license: {
      label: 'License',
      isWith: 'license-grants',
      href: ({ id, productId }) => `/store/products/${productId}/license?variant=${id}#license`,
    },
  },
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
      label: 'Compare-at price',
      kind: 'number',
      value: ({ compareAtCents, currency }) => amount(compareAtCents, currency),
    },
    barcode: { kind: 'code', hidden: true },
    weightG: { label: 'Weight (g)', hidden: true },
    available: {
      label: 'In stock',
      kind: 'number',
      value: ({ inventory }) => (inventory?.trackInventory ? inventory.available : null),
    },
    isDefault: { label: 'Default variant' },
  },
  facts: {
    sku: { kind: 'code' },
    title: {},
    options: { label: 'Options', value: ({ optionValues }) => namedValues(optionValues) },
    price: { label: 'Price', value: ({ priceCents, currency }) => amount(priceCents, currency) },
    compareAt: {
      label: 'Compare-at price',
      value: ({ compareAtCents, currency }) => amount(compareAtCents, currency),
    },
    cost: { label: 'Cost', value: ({ costCents, currency }) => amount(costCents, currency) },
    tiers: { label: 'Quantity prices', value: ({ tiers, currency }) => tierWords(tiers, currency) },
    stock: { label: 'In stock', value: ({ inventory }) => inventory && stockWords(inventory) },
    isDefault: { label: 'Default variant' },
    requiresShipping: { label: 'Requires shipping' },
    weightG: { label: 'Weight (g)' },
    lengthMm: { label: 'Length (mm)' },
    widthMm: { label: 'Width (mm)' },
    heightMm: { label: 'Height (mm)' },
    shippingClassId: { label: 'Shipping class', kind: 'code' },
    barcode: { kind: 'code' },
    createdAt: { kind: 'date' },
    updatedAt: { kind: 'date' },
    id: {},
  },
  labels: {
    sku: 'SKU',
    priceCents: 'Price',
    compareAtCents: 'Compare-at price',
    costCents: 'Cost',
    weightG: 'Weight (g)',
    lengthMm: 'Length (mm)',
    widthMm: 'Width (mm)',
    heightMm: 'Height (mm)',
    requiresShipping: 'Requires shipping',
    shippingClassId: 'Shipping class',
    isDefault: 'Default variant',
    optionValues: 'Options',
  },
  fields: {
    priceCents: { written: asAmount, example: '12.50' },
    compareAtCents: { written: asAmount, help: 'The former price, shown crossed out.' },
    costCents: { written: asAmount, help: 'Your cost. Shoppers never see it.' },
    shippingClassId: {
      of: 'shop-shipping-classes',
      by: 'id',
      help: 'Adds a handling charge. None: no charge.',
    },
    optionValues: { help: 'Such as {"Color": "Red", "Size": "M"}.' },
  },
  empty: {
    text: 'A product needs a variant with a SKU and a price before you can publish it.',
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
    text: 'Options are how variants differ, such as color and size. A product has at most three.',
    docs: 'glossary',
    cli: null,
  },
});
