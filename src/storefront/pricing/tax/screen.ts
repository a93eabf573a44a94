import { storeScreen } from '#platform/admin/index.ts';
import { regionText } from '#storefront/contract/regions.ts';
import { asRegions, REGIONS_HELP } from '#storefront/contract/regions-field.ts';
import { asPercent, percentOf } from './percent-field.ts';
import { TaxClassView, TaxRateView, TaxZoneView } from './view.ts';

const rate = ({ ratePpm }: { readonly ratePpm: number }): string => `${percentOf(ratePpm)} %`;

/** Tax classes in the panel. */
export const taxClassScreen = storeScreen(TaxClassView, {
  path: '/store/settings/tax-classes',
  area: 'store',
  nav: null,
  title: ({ name }) => name,
  columns: { name: {}, code: { kind: 'code' } },
  fields: {
    name: { example: 'Books' },
    code: { example: 'books', help: "Programs use it to refer to the class. You can't change it later." },
  },
  links: [
    { label: 'Tax zones', href: '/store/settings/tax-zones', needs: 'settings:read' },
    { label: 'Tax settings', href: '/store/settings/tax', needs: 'settings:read' },
  ],
  empty: {
    text: 'A tax class groups products that are taxed alike.',
    docs: 'tax-and-shipping',
    cli: null,
  },
});

/** Tax zones in the panel. */
export const taxZoneScreen = storeScreen(TaxZoneView, {
  path: '/store/settings/tax-zones',
  words: 'vat rates',
  area: 'store',
  nav: 'Tax',
  order: 60,
  title: ({ name }) => name,
  columns: {
    name: {},
    regions: { kind: 'tags', value: ({ regions }) => regions.map(regionText) },
    rates: {
      kind: 'tags',
      value: ({ rates }) => rates.map((one) => `${one.name} ${rate(one)}`),
    },
    priority: { kind: 'number' },
    updatedAt: { label: 'Changed', sort: 'updated', hidden: true },
  },
  facts: {
    regions: { kind: 'tags', value: ({ regions }) => regions.map(regionText) },
    priority: {},
    createdAt: { label: 'Created', kind: 'date' },
    updatedAt: { label: 'Changed', kind: 'date' },
    id: {},
  },
  fields: {
    name: { example: 'Germany' },
    regions: { written: asRegions, help: REGIONS_HELP, example: 'DE' },
    priority: {
      help: 'If two zones match an address equally well, the lower number applies. Leave empty for 0.',
    },
  },
  tabs: {
    rates: {
      label: 'Rates',
      of: 'shop-tax-rates',
      named: ({ id }) => ({ zoneId: id }),
      empty: 'No rates in this zone yet, so no tax is charged. Add the first one.',
    },
  },
  links: [
    { label: 'Tax classes', href: '/store/settings/tax-classes', needs: 'settings:read' },
    { label: 'Tax settings', href: '/store/settings/tax', needs: 'settings:read' },
  ],
  empty: {
    text: 'A tax zone is where a tax is due: countries, states or postal codes. Its rates set how much. No tax is charged outside all zones.',
    docs: 'tax-and-shipping',
    cli: null,
  },
});

/** The rates of a tax zone in the panel. */
export const taxRateScreen = storeScreen(TaxRateView, {
  path: '/store/settings/tax-zones/{zoneId}/rates',
  itemsAt: '/store/settings/tax-rates',
  area: 'store',
  nav: null,
  title: (one) => `${one.name} ${rate(one)}`,
  columns: {
    name: {},
    rate: { kind: 'number', value: rate, sort: 'rate' },
    taxClass: { label: 'Tax class' },
    appliesToShipping: { label: 'Applies to shipping', kind: 'flag' },
    compound: { kind: 'flag' },
    validFrom: { label: 'From', kind: 'date' },
    validTo: { label: 'Until', kind: 'date' },
  },
  facts: {
    name: {},
    rate: { value: rate },
    zone: {
      label: 'Zone',
      value: () => 'Show the tax zone',
      link: ({ zoneId }) => `/store/settings/tax-zones/${zoneId}`,
    },
    taxClass: {
      label: 'Tax class',
      link: ({ taxClassId }) => `/store/settings/tax-classes/${taxClassId}`,
    },
    appliesToShipping: { label: 'Applies to shipping', kind: 'flag' },
    compound: { kind: 'flag' },
    validFrom: { label: 'From', kind: 'date' },
    validTo: { label: 'Until', kind: 'date' },
    position: {},
    createdAt: { label: 'Created', kind: 'date' },
    updatedAt: { label: 'Changed', kind: 'date' },
    id: {},
  },
  labels: {
    ratePpm: 'Rate',
    taxClassId: 'Tax class',
    appliesToShipping: 'Applies to shipping',
    validFrom: 'From',
    validTo: 'Until',
  },
  fields: {
    name: { example: 'VAT' },
    taxClassId: { of: 'shop-tax-classes', by: 'id' },
    ratePpm: { written: asPercent, example: '19' },
    appliesToShipping: { help: 'Shipping methods with this tax class are taxed at this rate.' },
    compound: { help: 'Charged on the price plus all other taxes. One per class at a time.' },
    validFrom: { help: 'Leave empty to start immediately.' },
    validTo: { help: 'The rate stops applying at this time. Leave empty for no end.' },
    position: { help: 'Position among the rates on invoices. Leave empty for last.' },
  },
  empty: {
    text: 'A rate sets the tax on products with a tax class.',
    docs: 'tax-and-shipping',
    cli: null,
  },
});
