import { decimalOf } from '#kernel/money-words.ts';
import { amountIn, type Understood, wholeIn } from '#storefront/contract/amount.ts';
import { PRODUCT_STATUSES } from '../record.ts';
import type { VariantOf, Whole } from '../whole.ts';

/** A column of the editors: how its cells are written, and what is read from them. */
export interface EditorColumn {
  readonly name: string;
  /** @param currency of the shop */
  readonly label: (currency: string) => string;
  /** Whose field it is: all rows of a product share those of the product. That of the stock is another capability's. */
  readonly of: 'product' | 'variant' | 'stock';
  /** The field of the use case that takes it. */
  readonly field: string;
  readonly isNumber?: true;
  readonly options?: readonly string[];
  readonly text: (whole: Whole, variant: VariantOf) => string;
  /** Never of an empty text, unless `empty` says so. */
  readonly read: (text: string, currency: string) => Understood<unknown>;
  /** What an empty cell stands for; a fault where there must be something. */
  readonly empty: Understood<unknown>;
  /** Other names by which a pasted header calls it. */
  readonly also?: readonly string[];
}

const asIs = (text: string): Understood<string> => ({ value: text });
const required: Understood<never> = { fault: 'Enter a value' };
const nothing: Understood<null> = { value: null };

const amount = (
  name: string,
  label: string,
  field: 'priceCents' | 'compareAtCents' | 'costCents',
  empty: Understood<unknown>,
): EditorColumn => ({
  name,
  label: (currency) => `${label} (${currency})`,
  of: 'variant',
  field,
  isNumber: true,
  text: (_whole, variant) =>
    variant[field] === null ? '' : decimalOf({ amountCents: variant[field], currency: variant.currency }),
  read: amountIn,
  empty,
});

export const sku: EditorColumn = {
  name: 'sku',
  label: () => 'SKU',
  of: 'variant',
  field: 'sku',
  text: (_whole, variant) => variant.sku,
  read: asIs,
  empty: required,
};
export const price = amount('price', 'Price', 'priceCents', required);
const compareAt = amount('compare_at', 'Compare-at price', 'compareAtCents', nothing);
const cost = amount('cost', 'Cost', 'costCents', nothing);
const weight: EditorColumn = {
  name: 'weight',
  label: () => 'Weight (g)',
  of: 'variant',
  field: 'weightG',
  isNumber: true,
  text: (_whole, { weightG }) => String(weightG),
  read: (text) => wholeIn(text.replace(/\s*g$/i, ''), 'grams'),
  empty: { value: 0 },
  also: ['weight_g', 'grams'],
};
const barcode: EditorColumn = {
  name: 'barcode',
  label: () => 'Barcode',
  of: 'variant',
  field: 'barcode',
  text: (_whole, variant) => variant.barcode ?? '',
  read: asIs,
  empty: nothing,
  also: ['gtin', 'ean'],
};
/** Empty where the stock is not tracked: a number begins to. An emptied cell leaves the stock as it is. */
export const onHand: EditorColumn = {
  name: 'on_hand',
  label: () => 'On hand',
  of: 'stock',
  field: 'onHand',
  isNumber: true,
  text: (_whole, { stock }) => (stock?.level.trackInventory ? String(stock.level.onHand) : ''),
  read: (text) => {
    const understood = wholeIn(text.replace(/^[-−]/, ''), 'units');
    if ('fault' in understood || !/^[-−]/.test(text)) return understood;
    // Not -0: it is compared with what is stored.
    return { value: 0 - understood.value };
  },
  empty: { value: undefined },
  also: ['stock', 'quantity'],
};
const title: EditorColumn = {
  name: 'title',
  label: () => 'Title',
  of: 'product',
  field: 'title',
  text: ({ product }) => product.title,
  read: asIs,
  empty: required,
};
const status: EditorColumn = {
  name: 'status',
  label: () => 'Status',
  of: 'product',
  field: 'status',
  options: PRODUCT_STATUSES,
  text: ({ product }) => product.status,
  read: (text) => ({ value: text.toLowerCase() }),
  empty: required,
};
const brand: EditorColumn = {
  name: 'brand',
  label: () => 'Brand',
  of: 'product',
  field: 'brand',
  text: ({ product }) => product.brand ?? '',
  read: asIs,
  empty: nothing,
};
const tags: EditorColumn = {
  name: 'tags',
  label: () => 'Tags',
  of: 'product',
  field: 'tags',
  text: (whole) => whole.tags.join(', '),
  read: (text) => ({
    value: text
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== ''),
  }),
  empty: { value: [] },
};

/** Of the variants of one product. */
export const MATRIX_COLUMNS: readonly EditorColumn[] = [sku, price, compareAt, onHand, cost, weight, barcode];
/** Of products and variants side by side. */
export const GRID_COLUMNS: readonly EditorColumn[] = [
  title,
  status,
  sku,
  price,
  compareAt,
  cost,
  weight,
  brand,
  tags,
];

/** What a cell stands for. */
export const cellValue = (column: EditorColumn, text: string, currency: string): Understood<unknown> =>
  text.trim() === '' ? column.empty : column.read(text.trim(), currency);
