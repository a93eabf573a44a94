/** Where somebody lives, or has something sent to (storefront-api.md 2, Address). */

import { z } from 'zod';
import { oneLine, optional, text } from '#kernel/http/fields.ts';
import { fail } from '#kernel/service/errors.ts';
import { later } from '#kernel/sharing.ts';
import { COUNTRY_CODES, needsPostalCode, statesOf } from './countries.ts';
import type { Place } from './regions.ts';

/** An address as it is stored: what is unknown is null. */
export interface Address {
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly company: string | null;
  readonly line1: string;
  readonly line2: string | null;
  readonly city: string;
  /** Code of the state where the country has known ones, else as it was written. */
  readonly state: string | null;
  readonly postalCode: string | null;
  /** ISO 3166-1 with two letters. */
  readonly country: string;
  readonly phone: string | null;
}

/** It ends up on labels, in headers and on paper: a line break would begin another line there. */
const line = (max: number) => text({ max, trim: true, form: oneLine });

/** What a body sends of an address. What is required depends on the country: `addressOf` says it. */
export const AddressBody = later(() =>
  z.object({
    first_name: optional(line(100)),
    last_name: optional(line(100)),
    /** In place of the two names: forms have one field. */
    name: optional(line(200)),
    company: optional(line(200)),
    line1: optional(line(200)),
    line2: optional(line(200)),
    city: optional(line(100)),
    state: optional(line(100)),
    postal_code: optional(line(20)),
    country: optional(line(2)),
    phone: optional(line(50)),
  }),
);
export type AddressSent = z.output<typeof AddressBody>;

/** What a form asks for: one name, which `addressOf` divides. */
export const ADDRESS_FIELDS = [
  'name',
  'company',
  'line1',
  'line2',
  'city',
  'state',
  'postal_code',
  'country',
  'phone',
] as const;

/** One name field: what stands behind the last space is the family's. */
function namesOf({ name, first_name, last_name }: AddressSent): Pick<Address, 'firstName' | 'lastName'> {
  if (first_name || last_name || !name) return { firstName: first_name || null, lastName: last_name || null };
  const at = name.lastIndexOf(' ');
  return at < 0
    ? { firstName: null, lastName: name }
    : { firstName: name.slice(0, at), lastName: name.slice(at + 1) };
}

/** A fault of an address by its field. */
export interface AddressFault {
  readonly field: string;
  /** Nothing was sent, or nothing that could be used. */
  readonly isMissing: boolean;
  readonly message: string;
}

const missing = (field: string): AddressFault => ({ field, isMissing: true, message: 'is required' });

/** The state as it is stored; undefined for one that its country does not have. */
function stateIn(country: string, sent: string | undefined): string | null | undefined {
  const known = statesOf(country);
  if (!sent) return null;
  if (known.length === 0) return sent;
  const wanted = sent.toUpperCase();
  return known.find(({ code, name }) => code === wanted || name.toUpperCase() === wanted)?.code;
}

/** What is wrong with an address that somebody sent. @param only `country`: of a cart that is not shipped */
export function faultsOf(sent: AddressSent, only: 'all' | 'country' = 'all'): AddressFault[] {
  const country = (sent.country ?? '').toUpperCase();
  if (country === '') return [missing('country')];
  if (!COUNTRY_CODES.includes(country))
    return [
      {
        field: 'country',
        isMissing: false,
        message: `${country} is not a country code; use two letters such as DE`,
      },
    ];
  const state = stateIn(country, sent.state);
  const wrongState: AddressFault = {
    field: 'state',
    isMissing: false,
    message: `${sent.state} is not a state of ${country}; use its code, such as CA`,
  };
  if (only === 'country') return state === undefined ? [wrongState] : [];
  const { firstName, lastName } = namesOf(sent);
  return [
    ...(firstName || lastName ? [] : [missing('name')]),
    ...(sent.line1 ? [] : [missing('line1')]),
    ...(sent.city ? [] : [missing('city')]),
    ...(sent.postal_code || !needsPostalCode(country) ? [] : [missing('postal_code')]),
    ...(state === null && statesOf(country).length > 0 ? [missing('state')] : []),
    ...(state === undefined ? [wrongState] : []),
  ];
}

/** An address that somebody sent, as it is stored. Call it after `faultsOf` found nothing. */
export function addressIn(sent: AddressSent): Address {
  const country = (sent.country ?? '').toUpperCase();
  return {
    ...namesOf(sent),
    company: sent.company || null,
    line1: sent.line1 ?? '',
    line2: sent.line2 || null,
    city: sent.city ?? '',
    state: stateIn(country, sent.state) ?? null,
    postalCode: sent.postal_code || null,
    country,
    phone: sent.phone || null,
  };
}

/**
 * The address of a body.
 *
 * @param path of the field that holds it
 * @param only `country`: nothing is sent there, and tax needs the place alone
 * @throws AppError VALIDATION_ERROR with the fields that are missing or wrong
 */
export function addressOf(sent: AddressSent, path: string, only: 'all' | 'country' = 'all'): Address {
  const faults = faultsOf(sent, only);
  if (faults.length === 0) return addressIn(sent);
  const issues = faults.map(({ field, isMissing, message }) => ({
    path: `${path}.${field}`,
    rule: isMissing ? 'required' : 'invalid',
    message,
  }));
  const words = issues.map((one) => `${one.path} ${one.message}`).join('; ');
  throw fail('VALIDATION_ERROR', words, { details: { issues } });
}

/** What of an address decides tax and shipping. */
export const placeIn = ({ country, state, postalCode }: Address): Place => ({ country, state, postalCode });

/** `Ann Miller`; empty where nobody is named. */
export const fullName = ({ firstName, lastName }: Pick<Address, 'firstName' | 'lastName'>): string =>
  [firstName, lastName].filter((one) => one).join(' ');

/** Where the postal code comes after the city and the state. */
const CITY_FIRST: ReadonlySet<string> = new Set(['AU', 'CA', 'GB', 'IE', 'IN', 'NZ', 'US', 'ZA']);

const cityLine = ({ city, state, postalCode, country }: Address): string => {
  const after = [state, postalCode].filter((part) => part).join(' ');
  if (CITY_FIRST.has(country)) return [city, after].filter((part) => part).join(state ? ', ' : ' ');
  return [postalCode, city, state].filter((part) => part).join(' ');
};

/**
 * An address as the people of its country write it, a line each, with the country by its name.
 *
 * @param lang of a catalogue or a locale, such as `de` or `de-AT`
 */
export const addressLines = (one: Address, lang: string): string[] =>
  [
    fullName(one),
    one.company,
    one.line1,
    one.line2,
    cityLine(one),
    new Intl.DisplayNames([lang], { type: 'region' }).of(one.country),
  ].filter((line): line is string => Boolean(line));

export const AddressView = later(() =>
  z
    .object({
      first_name: z.string().nullable(),
      last_name: z.string().nullable(),
      company: z.string().nullable(),
      line1: z.string(),
      line2: z.string().nullable(),
      city: z.string(),
      state: z.string().nullable(),
      postal_code: z.string().nullable(),
      country: z.string(),
      phone: z.string().nullable(),
    })
    .meta({ id: 'Address' }),
);

export const addressView = (one: Address): z.output<typeof AddressView> => ({
  first_name: one.firstName,
  last_name: one.lastName,
  company: one.company,
  line1: one.line1,
  line2: one.line2,
  city: one.city,
  state: one.state,
  postal_code: one.postalCode,
  country: one.country,
  phone: one.phone,
});

/** A stored address, for columns that hold one. */
export const StoredAddress: () => z.ZodType<Address> = () =>
  z.object({
    firstName: z.string().nullable(),
    lastName: z.string().nullable(),
    company: z.string().nullable(),
    line1: z.string(),
    line2: z.string().nullable(),
    city: z.string(),
    state: z.string().nullable(),
    postalCode: z.string().nullable(),
    country: z.string(),
    phone: z.string().nullable(),
  });
