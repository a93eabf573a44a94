import { z } from 'zod';
import { flag, integer, oneOf, optional, report, text, timestamp } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { ADJUST_BPS, MOST_CENTS, MOST_FROM, PRICE_LIST_KINDS } from './record.ts';

/** Quantity breaks of one variant in one list. */
export const MOST_TIERS = 50;

const orNull = <S extends z.ZodType>(schema: S) => schema.nullable().optional();
const cents = () => integer(0, MOST_CENTS);
const from = () => integer(1, MOST_FROM);
const name = () => text({ min: 1, max: 100, trim: true });
const id = () => text({ min: 1, max: 30 });

const shape = {
  name: name(),
  kind: optional(oneOf(PRICE_LIST_KINDS)),
  adjustBps: optional(integer(ADJUST_BPS.min, ADJUST_BPS.max)),
  /** That of the shop, as every price. */
  currency: optional(text({ min: 3, max: 3 })),
  startsAt: orNull(timestamp()),
  endsAt: orNull(timestamp()),
  active: optional(flag()),
};

/** Input that creates a price list: fixed and active when nothing else is said. */
export const PriceListCreate = z.strictObject(shape);
export type PriceListCreateInput = z.output<typeof PriceListCreate>;

/** Input that changes a price list: absent leaves a field, null clears one that may be empty. */
export const PriceListUpdate = z.strictObject({ ...shape, name: optional(name()) });
export type PriceListUpdateInput = z.output<typeof PriceListUpdate>;

/** A price of a list; the variant is named by its id or its SKU. */
export const PriceCreate = later(() =>
  z
    .strictObject({
      sku: optional(text({ min: 1, max: 100, trim: true })),
      variantId: optional(id()),
      minQuantity: optional(from()),
      unitCents: cents(),
    })
    .check((checked) => {
      const { sku, variantId } = checked.value;
      if ((sku === undefined) === (variantId === undefined))
        report(checked, 'invalid', 'identify the variant by its sku or variant_id', ['sku']);
    }),
);
export type PriceCreateInput = z.output<typeof PriceCreate>;

export const PriceUpdate = later(() =>
  z.strictObject({ minQuantity: optional(from()), unitCents: optional(cents()) }),
);
export type PriceUpdateInput = z.output<typeof PriceUpdate>;

/** The quantity breaks of a variant, in place of those that it has. */
export const Tiers = later(() =>
  z.strictObject({
    tiers: z
      .array(z.strictObject({ minQuantity: from(), unitCents: cents() }), {
        error: ({ input }) => (input === undefined ? 'is required' : 'must be a list'),
      })
      .max(MOST_TIERS),
    /** null and absent: the public ones. */
    priceListId: optional(id()),
  }),
);
export type TiersInput = z.output<typeof Tiers>;
