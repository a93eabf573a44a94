/** Parts of the world that a zone of tax or of shipping is for (storefront-domain 4.14). */
import { z } from 'zod';
import { text } from '#kernel/http/fields.ts';
import { invalidField } from '#kernel/service/errors.ts';
import { COUNTRY_CODES, statesOf } from './countries.ts';
import { isPostalPattern, isPostalWithin } from './postal.ts';

/** Stands for every country. */
export const EVERYWHERE = '*';
export const MOST_REGIONS = 1000;

export interface Region {
  /** ISO 3166-1 with two letters, or `*`. */
  readonly country: string;
  readonly state: string | null;
  readonly postalPattern: string | null;
}

/** Where something is delivered to, or taxed. */
export interface Place {
  readonly country: string;
  readonly state: string | null;
  readonly postalCode: string | null;
}

/** A zone with its regions. */
export interface Zoned {
  readonly id: string;
  readonly createdAt: string;
  readonly regions: readonly Region[];
}

export const regionShape = {
  country: text({ min: 1, max: 2, trim: true }),
  state: text({ max: 10, trim: true }).nullable().optional(),
  postalPattern: text({ max: 40, trim: true }).nullable().optional(),
};

/** Regions as a body has them. */
export const regionsInput = () =>
  z
    .array(z.strictObject(regionShape), {
      error: ({ input }) => (input === undefined ? 'is required' : 'must be a list of regions'),
    })
    .min(1, 'list at least one region; * is every country')
    .max(MOST_REGIONS);
type Sent = z.output<ReturnType<typeof regionsInput>>;

const upper = (text: string | null | undefined): string | null => text?.toUpperCase() || null;

/**
 * Regions as they are stored: in capital letters, each once.
 *
 * @throws AppError VALIDATION_ERROR for an unknown country or state, and a pattern that no postal code has
 */
export function regionsOf(sent: Sent): Region[] {
  const regions = sent.map(({ country, state, postalPattern }) => ({
    country: country.toUpperCase(),
    state: upper(state),
    postalPattern: upper(postalPattern),
  }));
  const seen = new Set<string>();
  for (const [at, region] of regions.entries()) {
    const [field, fault] = faultOf(region) ?? [];
    if (field !== undefined) throw invalidField(`regions.${at}.${field}`, fault ?? '');
    const words = regionText(region);
    if (seen.has(words)) throw invalidField(`regions.${at}`, `${words} is listed twice`);
    seen.add(words);
  }
  return regions;
}

/** The field that is wrong, and why; null when none is. */
function faultOf({ country, state, postalPattern }: Region): readonly [string, string] | null {
  const isNarrow = state !== null || postalPattern !== null;
  if (country === EVERYWHERE)
    return isNarrow ? ['country', 'add the country of the state or postal code'] : null;
  if (!COUNTRY_CODES.includes(country))
    return [
      'country',
      `${country} is not a country code; use two letters such as DE, or * for every country`,
    ];
  if (state !== null && !isState(country, state))
    return ['state', `${state} is not a state of ${country}; use its code, such as CA`];
  if (postalPattern !== null && !isPostalPattern(postalPattern))
    return [
      'postal_pattern',
      `${postalPattern} is not a postal code, a beginning such as 101*, or a range such as 10000..19999`,
    ];
  return null;
}

/** Of countries whose states are unknown here, what looks like a code of one is. */
function isState(country: string, state: string): boolean {
  const known = statesOf(country);
  return known.length === 0 ? /^[A-Z0-9]{1,10}$/.test(state) : known.some(({ code }) => code === state);
}

/** How closely a region describes a place; null when the place is not in it. */
export function closeness({ country, state, postalPattern }: Region, place: Place): number | null {
  if (country === EVERYWHERE) return 0;
  if (country !== place.country.toUpperCase()) return null;
  if (state !== null && state !== upper(place.state)) return null;
  if (postalPattern !== null && !isPostalWithin(postalPattern, place)) return null;
  return (postalPattern === null ? 0 : 4) + (state === null ? 0 : 2) + 1;
}

/**
 * The one zone that a place is in: that of the region which describes it most closely, of several such the one with the
 * smallest rank, and then the oldest.
 */
export function zoneAt<Z extends Zoned>(
  zones: readonly Z[],
  place: Place,
  rankOf: (zone: Z) => number,
): Z | null {
  const near = zones.flatMap((zone) => {
    const all = zone.regions.flatMap((region) => closeness(region, place) ?? []);
    return all.length === 0 ? [] : [{ zone, close: Math.max(...all) }];
  });
  const [first] = near.toSorted(
    (one, other) =>
      other.close - one.close ||
      rankOf(one.zone) - rankOf(other.zone) ||
      compare(one.zone.createdAt, other.zone.createdAt) ||
      compare(one.zone.id, other.zone.id),
  );
  return first?.zone ?? null;
}

const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

/** `US-CA 902*`: as forms show a region and take it. */
export const regionText = ({ country, state, postalPattern }: Region): string =>
  `${country}${state === null ? '' : `-${state}`}${postalPattern === null ? '' : ` ${postalPattern}`}`;

/** What a line of a form says; its parts are judged with the rest of the body. */
export function regionIn(line: string): Region {
  const [first = '', ...rest] = line.trim().split(/\s+/);
  const [country = '', ...state] = first.split('-');
  return { country, state: state.join('-') || null, postalPattern: rest.join(' ') || null };
}
