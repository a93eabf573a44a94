import { moneyWords } from '#kernel/money-words.ts';
import { storeScreen, type Written } from '#platform/admin/index.ts';
import { asAmount } from '#storefront/contract/amount-field.ts';
import { ADJUST_BPS } from './record.ts';
import { PriceListView, PriceView } from './view.ts';

/** What a list does to prices: `10 % cheaper`. */
function effectOf({ kind, adjustBps, priceCount }: { kind: string; adjustBps: number; priceCount: number }) {
  if (kind === 'fixed') return priceCount === 1 ? '1 price' : `${priceCount} prices`;
  const percent = `${Math.abs(adjustBps) / 100} %`;
  return adjustBps <= 0 ? `${percent} cheaper` : `${percent} more expensive`;
}

const help = {
  kind: 'fixed: you set a price for each variant. percent: all prices change by a percentage.',
  adjustBps: 'Only for the kind percent: -10 makes everything 10% cheaper, 2.5 makes it 2.5% more expensive.',
};

const PERCENT = /^([+-]?)(\d{1,4})(?:[.,](\d{1,2}))?$/;

/** JSON has hundredths of a percent, forms have percent. */
const asPercent = (): Written => ({
  unit: '%',
  text: (value) => String(Number(value) / 100),
  read: (text) => {
    const found = PERCENT.exec(text.replaceAll(/[\s%]/g, '').replace('−', '-'));
    const [, sign, whole = '', part = ''] = found ?? [];
    const value = Number(whole) * 100 + Number(part.padEnd(2, '0'));
    const signed = sign === '-' ? 0 - value : value;
    if (found && signed >= ADJUST_BPS.min && signed <= ADJUST_BPS.max) return { value: signed };
    const [least, most] = [ADJUST_BPS.min / 100, ADJUST_BPS.max / 100];
    return {
      fault: `“${text.trim().slice(0, 40)}” is not a percentage from ${least} to ${most}, such as -10 or 2.5`,
    };
  },
});

/** Price lists in the panel. */
export const priceListScreen = storeScreen(PriceListView, {
  path: '/store/price-lists',
  area: 'store',
  order: 50,
  title: ({ name }) => name,
  columns: {
    name: {},
    kind: {},
    effect: { label: 'Prices', value: effectOf },
    status: { kind: 'status' },
    startsAt: { label: 'From', kind: 'date' },
    endsAt: { label: 'Until', kind: 'date' },
    updatedAt: { label: 'Changed', sort: 'updated', hidden: true },
  },
  facts: {
    kind: {},
    effect: { label: 'Prices', value: effectOf },
    status: { kind: 'status' },
    currency: {},
    startsAt: { label: 'From', kind: 'date' },
    endsAt: { label: 'Until', kind: 'date' },
    createdAt: { label: 'Created', kind: 'date' },
    updatedAt: { label: 'Changed', kind: 'date' },
    id: {},
  },
  labels: {
    adjustBps: 'Price change',
    startsAt: 'From',
    endsAt: 'Until',
  },
  fields: {
    name: { example: 'Resellers' },
    kind: { help: help.kind },
    adjustBps: { help: help.adjustBps, written: asPercent, example: '-10' },
    currency: { kind: 'hidden' },
    startsAt: { help: 'Leave empty to start immediately.' },
    endsAt: { help: 'The list stops applying at this time. Leave empty for no end.' },
  },
  tabs: {
    prices: {
      label: 'Prices',
      of: 'shop-prices',
      named: ({ id }) => ({ priceListId: id }),
      when: ({ kind }) => kind === 'fixed',
      empty: 'Add a price for each variant that this list should change.',
    },
  },
  initial: { kind: 'fixed', active: true },
  empty: {
    text: 'Price lists have prices for companies and customer groups. Shoppers always pay the lowest price that applies to them.',
    docs: 'glossary',
    cli: null,
  },
});

/** The prices of a list in the panel. */
export const priceScreen = storeScreen(PriceView, {
  path: '/store/price-lists/{priceListId}/prices',
  itemsAt: '/store/price-list-prices',
  area: 'store',
  nav: null,
  title: ({ sku, minQuantity }) => `${sku} from ${minQuantity}`,
  columns: {
    sku: { kind: 'code' },
    product: {
      label: 'Product',
      value: ({ productTitle, variantTitle }) =>
        variantTitle === 'Default' ? productTitle : `${productTitle}, ${variantTitle}`,
    },
    minQuantity: { label: 'From quantity', kind: 'number', sort: 'quantity' },
    unit: {
      label: 'Unit price',
      kind: 'number',
      value: ({ unitCents, currency }) => moneyWords({ amountCents: unitCents, currency }, 'en'),
      sort: 'price',
    },
  },
  labels: {
    sku: 'SKU',
    minQuantity: 'From quantity',
    unitCents: 'Unit price',
  },
  fields: {
    sku: { example: 'MUG-1', help: 'SKU of the variant.' },
    variantId: { kind: 'hidden' },
    minQuantity: { help: 'Empty: from 1 on.' },
    unitCents: { written: asAmount, example: '12.50' },
  },
  // Programs send many at once.
  without: ['set'],
  empty: {
    text: 'The price of a variant in this list, from a quantity.',
    docs: 'glossary',
    cli: null,
  },
});
