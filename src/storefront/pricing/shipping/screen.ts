import type { Ctx } from '#kernel/context.ts';
import { storeScreen } from '#platform/admin/index.ts';
import { asAmount } from '#storefront/contract/amount-field.ts';
import { regionText } from '#storefront/contract/regions.ts';
import { asRegions, REGIONS_HELP } from '#storefront/contract/regions-field.ts';
import { ratesTab } from './rates-page.ts';
import { ShippingClassView, ShippingMethodView, ShippingZoneView } from './view.ts';

const help = {
  kind: 'What the price depends on. flat: one price. weight, price, item: the weight, value or number of items in the cart. free and pickup cost nothing.',
  freeOverCents: 'Shipping is free from this cart value. Leave empty to always charge it.',
};

interface Days {
  readonly etaMinDays: number | null;
  readonly etaMaxDays: number | null;
}

/** `2 to 4 days`. */
function daysOf({ etaMinDays, etaMaxDays }: Days): string | null {
  const [from, to] = [etaMinDays ?? etaMaxDays, etaMaxDays ?? etaMinDays];
  if (from === null || to === null) return null;
  return from === to ? `${from} ${from === 1 ? 'day' : 'days'}` : `${from} to ${to} days`;
}

/** Why shoppers are not offered it, if they are not. */
const stateOf = (one: {
  readonly active: boolean;
  readonly kind: string;
  readonly rates: readonly unknown[];
}): string => {
  if (!one.active) return 'off';
  return one.rates.length > 0 || one.kind === 'free' || one.kind === 'pickup' ? 'offered' : 'has no rates';
};

/** Shipping zones in the panel. */
export const shippingZoneScreen = storeScreen(ShippingZoneView, {
  path: '/store/settings/shipping',
  words: 'delivery carriers rates postage',
  area: 'store',
  nav: 'Shipping',
  order: 58,
  title: ({ name }) => name,
  columns: {
    name: {},
    regions: { kind: 'tags', value: ({ regions }) => regions.map(regionText) },
    methods: { kind: 'tags', value: ({ methods }) => methods.map(({ name }) => name) },
    position: { kind: 'number' },
    updatedAt: { label: 'Changed', sort: 'updated', hidden: true },
  },
  facts: {
    regions: { kind: 'tags', value: ({ regions }) => regions.map(regionText) },
    position: {},
    createdAt: { label: 'Created', kind: 'date' },
    updatedAt: { label: 'Changed', kind: 'date' },
    id: {},
  },
  fields: {
    name: { example: 'Germany' },
    regions: { written: asRegions, help: REGIONS_HELP, example: 'DE' },
    position: {
      help: 'If two zones match an address equally well, the lower number applies. Leave empty for 0.',
    },
  },
  tabs: {
    methods: {
      label: 'Methods',
      of: 'shop-shipping-methods',
      named: ({ id }) => ({ zoneId: id }),
      empty: 'No shipping methods in this zone yet. Add the first one.',
    },
  },
  links: [{ label: 'Shipping classes', href: '/store/settings/shipping-classes', needs: 'settings:read' }],
  empty: {
    text: 'A shipping zone is where you ship to: countries, states or postal codes. Its methods set how, and at what price.',
    docs: 'tax-and-shipping',
    cli: null,
  },
});

/** The methods of a shipping zone in the panel. */
export const shippingMethodScreen = storeScreen(ShippingMethodView, {
  path: '/store/settings/shipping/{zoneId}/methods',
  itemsAt: '/store/settings/shipping-methods',
  area: 'store',
  nav: null,
  title: ({ name }) => name,
  columns: {
    name: {},
    kind: {},
    state: { label: 'Status', kind: 'status', value: stateOf },
    carrier: { hidden: true },
    eta: { label: 'Delivery', value: daysOf },
    position: { kind: 'number', hidden: true },
  },
  facts: {
    state: { label: 'Status', kind: 'status', value: stateOf },
    kind: {},
    description: {},
    carrier: {},
    eta: { label: 'Delivery', value: daysOf },
    position: {},
    createdAt: { label: 'Created', kind: 'date' },
    updatedAt: { label: 'Changed', kind: 'date' },
    id: {},
  },
  labels: {
    taxClassId: 'Tax class',
    etaMinDays: 'Delivery from (days)',
    etaMaxDays: 'Delivery until (days)',
    freeOverCents: 'Free from',
  },
  fields: {
    name: { example: 'Parcel' },
    kind: { help: help.kind },
    description: { kind: 'textarea', help: 'Shown to shoppers below the name.' },
    carrier: { example: 'DHL' },
    taxClassId: { of: 'shop-tax-classes', by: 'id', help: 'None: Shipping.' },
    freeOverCents: { written: asAmount, help: help.freeOverCents, example: '50.00' },
    position: { help: 'Position among the methods at checkout. Leave empty for last.' },
  },
  tabs: {
    rates: {
      label: 'Rates',
      template: 'store/shipping-rates-tab',
      load: (ctx: Ctx, method) => ratesTab(ctx, method.id),
      when: ({ kind }) => kind !== 'free' && kind !== 'pickup',
    },
  },
  empty: {
    text: 'Shoppers choose a shipping method at checkout. Its rates are its prices.',
    docs: 'tax-and-shipping',
    cli: null,
  },
});

/** Shipping classes in the panel. */
export const shippingClassScreen = storeScreen(ShippingClassView, {
  path: '/store/settings/shipping-classes',
  area: 'store',
  nav: null,
  title: ({ name }) => name,
  columns: {
    name: {},
    handlingCents: { label: 'Handling', kind: 'number', sort: 'handling' },
  },
  labels: { handlingCents: 'Handling' },
  fields: {
    name: { example: 'Bulky' },
    handlingCents: {
      written: asAmount,
      help: 'Added once to the shipping price. If a cart has several classes, the highest charge applies.',
      example: '5.00',
    },
  },
  links: [{ label: 'Shipping zones', href: '/store/settings/shipping', needs: 'settings:read' }],
  empty: {
    text: 'A shipping class adds a handling charge for variants that cost more to ship.',
    docs: 'tax-and-shipping',
    cli: null,
  },
});
