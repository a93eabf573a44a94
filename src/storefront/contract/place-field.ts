import { z } from 'zod';
import { text } from '#kernel/http/fields.ts';
import { invalidField } from '#kernel/service/errors.ts';
import { COUNTRY_CODES } from './countries.ts';
import type { Place } from './regions.ts';

/** What of an address decides tax and shipping. */
export const placeBody = () =>
  z.object(
    {
      country: text({ min: 1, max: 2, trim: true }),
      state: text({ max: 10, trim: true }).nullable().optional(),
      postal_code: text({ max: 20, trim: true }).nullable().optional(),
    },
    { error: ({ input }) => (input === undefined ? 'is required' : 'must be an object') },
  );

/** @throws AppError VALIDATION_ERROR for what is not a country */
export function placeOf({ country, state, postal_code }: z.output<ReturnType<typeof placeBody>>): Place {
  const code = country.toUpperCase();
  if (!COUNTRY_CODES.includes(code))
    throw invalidField('address.country', `${code} is not a country code; use two letters such as DE`);
  return { country: code, state: state?.toUpperCase() || null, postalCode: postal_code || null };
}
