import { moneyWords } from '#kernel/money-words.ts';
import type { DocumentModel } from './model.ts';
import { figuresLocaleOf } from './words.ts';

/** How a document writes amounts, rates and its day. */
export interface Figures {
  money(amountCents: number): string;
  percent(ppm: number): string;
  day(iso: string): string;
}

/** @throws RangeError for a locale or a currency that there is not */
export function figuresOf({ locale: asked, currency, timeZone }: DocumentModel): Figures {
  const locale = figuresLocaleOf(asked);
  const rate = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 4 });
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone });
  return {
    money: (amountCents) => moneyWords({ amountCents, currency }, locale),
    percent: (ppm) => rate.format(ppm / 1_000_000),
    day: (iso) => day.format(new Date(iso)),
  };
}
