import { z } from 'zod';
import { flag, integer, oneOf, optional, text } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { regionsInput } from '#storefront/contract/regions.ts';
import { METHOD_KINDS, MOST_CENTS, MOST_DAYS, MOST_PLACE } from './record.ts';

/** Ranges of one method. */
export const MOST_RATES = 100;

const orNull = <S extends z.ZodType>(schema: S) => schema.nullable().optional();
const name = () => text({ min: 1, max: 100, trim: true });
const place = () => integer(0, MOST_PLACE);
const cents = () => integer(0, MOST_CENTS);
const days = () => integer(0, MOST_DAYS);

/** Input that creates a shipping zone. */
export const ShippingZoneCreate = later(() =>
  z.strictObject({
    name: name(),
    regions: regionsInput(),
    position: optional(place()),
  }),
);
export type ShippingZoneCreateInput = z.output<typeof ShippingZoneCreate>;

/** Input that changes a shipping zone; regions that are sent take the place of all that it has. */
export const ShippingZoneUpdate = later(() =>
  z.strictObject({
    name: optional(name()),
    regions: optional(regionsInput()),
    position: optional(place()),
  }),
);
export type ShippingZoneUpdateInput = z.output<typeof ShippingZoneUpdate>;

const methodShape = {
  name: name(),
  kind: oneOf(METHOD_KINDS),
  description: orNull(text({ max: 500, trim: true })),
  carrier: orNull(text({ max: 100, trim: true })),
  /** The class shipping when nothing else is said. */
  taxClassId: optional(text({ min: 1, max: 30 })),
  etaMinDays: orNull(days()),
  etaMaxDays: orNull(days()),
  freeOverCents: orNull(cents()),
  active: optional(flag()),
  position: optional(place()),
};

/** Input that adds a method to a shipping zone. */
export const ShippingMethodCreate = z.strictObject(methodShape);
export type ShippingMethodCreateInput = z.output<typeof ShippingMethodCreate>;

export const ShippingMethodUpdate = later(() =>
  z.strictObject({
    ...methodShape,
    name: optional(methodShape.name),
    kind: optional(methodShape.kind),
  }),
);
export type ShippingMethodUpdateInput = z.output<typeof ShippingMethodUpdate>;

export const RateInput = later(() =>
  z.strictObject({
    min: optional(integer(0, MOST_CENTS)),
    max: orNull(integer(0, MOST_CENTS)),
    priceCents: cents(),
    perUnitCents: optional(cents()),
  }),
);

/** The rates of a method, in place of those that it has. */
export const Rates = later(() =>
  z.strictObject({
    rates: z
      .array(RateInput, { error: ({ input }) => (input === undefined ? 'is required' : 'must be a list') })
      .max(MOST_RATES),
  }),
);
export type RatesInput = z.output<typeof Rates>;

/** Input that creates a shipping class. */
export const ShippingClassCreate = z.strictObject({ name: name(), handlingCents: optional(cents()) });
export type ShippingClassCreateInput = z.output<typeof ShippingClassCreate>;

export const ShippingClassUpdate = z.strictObject({
  name: optional(name()),
  handlingCents: optional(cents()),
});
export type ShippingClassUpdateInput = z.output<typeof ShippingClassUpdate>;
