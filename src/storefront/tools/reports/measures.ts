const PRODUCT_SUMS = [
  'orders',
  'units',
  'grossCents',
  'discountCents',
  'taxCents',
  'totalCents',
  'refundedUnits',
  'refundsCents',
] as const;

/** What reports add up, by day and by month: the names of rows and of the figures in each (decision 0088). */
export const MEASURES = {
  /** Orders that were placed on the day, as they are now; refunds on the day on which the money went back. */
  sales: {
    keys: ['source'],
    sums: [
      'orders',
      'cancelled',
      'units',
      'grossCents',
      'discountCents',
      'shippingCents',
      'taxCents',
      'totalCents',
      'refundsCents',
      'giftCardsCents',
      'newOrders',
      'newTotalCents',
    ],
  },
  products: {
    keys: ['productId', 'variantId'],
    sums: PRODUCT_SUMS,
  },
  /** All products together: of years they are too many to be added up for a page. */
  goods: { keys: [], sums: PRODUCT_SUMS },
  countries: { keys: ['country'], sums: ['orders', 'totalCents', 'taxCents', 'refundsCents'] },
  promotions: { keys: ['promotionId'], sums: ['orders', 'discountCents', 'totalCents'] },
  taxes: { keys: ['country', 'state', 'name', 'ppm'], sums: ['baseCents', 'taxCents', 'refundedCents'] },
  /** Money by the day on which it came and went, also of orders that were cancelled. */
  payments: { keys: ['processor'], sums: ['payments', 'takingsCents', 'refunds', 'refundsCents'] },
  customers: {
    keys: ['customerId'],
    sums: ['orders', 'totalCents', 'refundsCents'],
  },
} as const;

export type MeasureName = keyof typeof MEASURES;
export const MEASURE_NAMES = Object.keys(MEASURES) as readonly MeasureName[];

/** Figures of one measure by their names. */
export type SumsOf<M extends MeasureName> = Record<(typeof MEASURES)[M]['sums'][number], number>;
export type KeysOf<M extends MeasureName> = Record<(typeof MEASURES)[M]['keys'][number], string>;

/** What something adds to a row of a measure: its day, its currency, the keys of the row, and its figures in order. */
export type Fact = readonly [
  measure: MeasureName,
  day: string,
  currency: string,
  keys: readonly string[],
  sums: readonly number[],
];

/** A fact by names; figures that are left out are 0. */
export function fact<M extends MeasureName>(
  measure: M,
  day: string,
  currency: string,
  keys: KeysOf<M>,
  sums: Partial<SumsOf<M>>,
): Fact {
  const { keys: keyNames, sums: sumNames } = MEASURES[measure];
  return [
    measure,
    day,
    currency,
    keyNames.map((name) => (keys as Record<string, string>)[name] ?? ''),
    sumNames.map((name) => (sums as Record<string, number>)[name] ?? 0),
  ];
}

const SEPARATOR = '\u0001';

/** Facts with those of the same row added up; rows that come to nothing are left out. */
export function summed(facts: readonly Fact[]): Fact[] {
  const rows = new Map<string, { readonly of: Fact; readonly sums: number[] }>();
  for (const one of facts) {
    const [measure, day, currency, keys, sums] = one;
    const key = [measure, day, currency, ...keys].join(SEPARATOR);
    const known = rows.get(key);
    if (known) for (const [at, value] of sums.entries()) known.sums[at] = (known.sums[at] ?? 0) + value;
    else rows.set(key, { of: one, sums: [...sums] });
  }
  return [...rows.values()]
    .filter(({ sums }) => sums.some((value) => value !== 0))
    .map(({ of: [measure, day, currency, keys], sums }) => [measure, day, currency, keys, sums]);
}

/** What has to be added to have the second where the first was counted. */
export const difference = (before: readonly Fact[], after: readonly Fact[]): Fact[] =>
  summed([
    ...after,
    ...before.map(
      ([measure, day, currency, keys, sums]): Fact => [
        measure,
        day,
        currency,
        keys,
        sums.map((value) => -value),
      ],
    ),
  ]);
