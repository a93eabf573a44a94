import { z } from 'zod';
import { flag, integer, optional, text, timestamp } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { regionsInput } from '#storefront/contract/regions.ts';
import { MOST_PLACE, MOST_PPM } from './record.ts';

const orNull = <S extends z.ZodType>(schema: S) => schema.nullable().optional();
const name = () => text({ min: 1, max: 100, trim: true });
const id = () => text({ min: 1, max: 30 });
const place = () => integer(0, MOST_PLACE);

/** Input that creates a tax class. Its code stays what it is. */
export const TaxClassCreate = later(() =>
  z.strictObject({
    name: name(),
    code: text({
      min: 1,
      max: 30,
      form: { pattern: /^[a-z0-9_]{1,30}$/, says: 'up to 30 lowercase letters, digits and _' },
    }),
  }),
);
export type TaxClassCreateInput = z.output<typeof TaxClassCreate>;

export const TaxClassUpdate = z.strictObject({ name: optional(name()) });
export type TaxClassUpdateInput = z.output<typeof TaxClassUpdate>;

/** Input that creates a tax zone. */
export const TaxZoneCreate = later(() =>
  z.strictObject({
    name: name(),
    regions: regionsInput(),
    priority: optional(place()),
  }),
);
export type TaxZoneCreateInput = z.output<typeof TaxZoneCreate>;

/** Input that changes a tax zone; regions that are sent take the place of all that it has. */
export const TaxZoneUpdate = later(() =>
  z.strictObject({
    name: optional(name()),
    regions: optional(regionsInput()),
    priority: optional(place()),
  }),
);
export type TaxZoneUpdateInput = z.output<typeof TaxZoneUpdate>;

const rateShape = {
  name: name(),
  taxClassId: id(),
  ratePpm: integer(0, MOST_PPM),
  appliesToShipping: optional(flag()),
  compound: optional(flag()),
  validFrom: orNull(timestamp()),
  validTo: orNull(timestamp()),
  position: optional(place()),
};

/** Input that adds a rate to a tax zone. */
export const TaxRateCreate = z.strictObject(rateShape);
export type TaxRateCreateInput = z.output<typeof TaxRateCreate>;

export const TaxRateUpdate = z.strictObject({
  ...rateShape,
  name: optional(rateShape.name),
  taxClassId: optional(rateShape.taxClassId),
  ratePpm: optional(rateShape.ratePpm),
});
export type TaxRateUpdateInput = z.output<typeof TaxRateUpdate>;
