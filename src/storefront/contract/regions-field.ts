import type { Written } from '#platform/admin/index.ts';
import { type Region, regionIn, regionText } from './regions.ts';

/** Regions of a zone as the panel's forms take them: one a line, such as `US-CA 902*`. */
export const asRegions = (): Written => ({
  unit: 'one per line',
  text: (value) => (value as readonly Region[]).map(regionText).join('\n'),
  read: (text) => {
    const value = text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map(regionIn);
    const wrong = value.find(({ country }) => !/^(?:[a-z]{2}|\*)$/i.test(country));
    return wrong === undefined
      ? { value }
      : {
          fault: `“${wrong.country.slice(0, 40)}” is not a country code. Use the two-letter code, such as DE`,
        };
  },
});

/** What a form says of them. */
export const REGIONS_HELP =
  'DE is a country, US-CA a state, US-CA 902* postal codes of it, 10000..19999 a range, * everywhere. The most specific match for an address wins.';
