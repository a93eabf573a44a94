import type { Ctx } from '#kernel/context.ts';
import { type Country, countriesIn } from '#storefront/contract/country-names.ts';
import { countriesServed, type Offer } from '#storefront/pricing/shipping/index.ts';
import type { ShopWords } from '../shop/index.ts';

const EVERYWHERE = '*';

/** Countries that a form offers: those that something is shipped to. */
export async function countriesShown(ctx: Ctx, needsShipping: boolean, lang: string): Promise<Country[]> {
  const served = needsShipping ? await countriesServed(ctx) : new Set([EVERYWHERE]);
  const isAll = served.has(EVERYWHERE) || served.size === 0;
  return countriesIn(lang).filter(({ code }) => isAll || served.has(code));
}

/** How long a method takes; null where nobody says. */
export function etaWords({ method }: Offer, { t, lang }: ShopWords): string | null {
  const days = new Intl.NumberFormat(lang);
  const span = [method.etaMinDays, method.etaMaxDays].filter((one) => one !== null);
  if (span.length === 0) return null;
  return t('checkout.eta', { days: [...new Set(span.map((one) => days.format(one)))].join('–') });
}
