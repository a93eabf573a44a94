import type { Written } from '#platform/admin/index.ts';

/** 88750 parts per million are `8.875`. */
export const percentOf = (ppm: number): string => String(ppm / 10_000);

/** A rate of the panel's forms in percent, of which JSON has parts per million. */
export const asPercent = (): Written => ({
  unit: '%',
  text: (value) => percentOf(Number(value)),
  read: (text) => {
    const [, whole, places = ''] = /^(\d{1,3})(?:[.,](\d{1,4}))?\s*%?$/.exec(text.trim()) ?? [];
    if (whole === undefined)
      return { fault: `“${text.trim().slice(0, 40)}” is not a percentage; enter it as 8.875` };
    return { value: Number(whole) * 10_000 + Number(places.padEnd(4, '0')) };
  },
});
