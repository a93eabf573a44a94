import type { Ctx } from '#kernel/context.ts';
import type { ReplyHead } from '#kernel/http/reply.ts';
import type { Visitor } from '#kernel/http/visitor.ts';
import { LANGUAGE_COOKIE } from '#kernel/http/wanted-languages.ts';
import { moneyWords } from '#kernel/money-words.ts';
import {
  chooseLanguage,
  FALLBACK,
  type Language,
  languages,
  loadLanguages,
  type Translate,
  translator,
} from '#platform/languages/index.ts';
import { labels } from '#storefront/contract/branding.ts';
import { currencySymbol } from '#storefront/contract/settings.ts';

const YEAR_SECONDS = 31_536_000;

/** What every view of the shop finds: the language of whoever reads, and what says its texts and prices. */
export interface ShopWords {
  readonly lang: string;
  readonly dir: Language['dir'];
  readonly t: Translate;
  readonly money: (cents: number, currency: string) => string;
}

/** @param asked language of the address, which wins over what the browser wants */
export async function wordsOf(
  ctx: Ctx,
  { languages: wanted }: Pick<Visitor, 'languages'>,
  asked?: string,
): Promise<ShopWords> {
  await loadLanguages();
  const { code, dir } = chooseLanguage(
    asked === undefined ? wanted : [asked.toLowerCase(), ...wanted],
    FALLBACK,
  );
  const symbol = ctx.settings.get(currencySymbol);
  return {
    lang: code,
    dir,
    t: translator(code, ctx.settings.get(labels)),
    // The symbol of the default belongs to the currency of the default.
    money: (amountCents, currency) =>
      moneyWords(
        { amountCents, currency },
        code,
        symbol === currencySymbol.default && currency !== 'USD' ? undefined : symbol,
      ),
  };
}

/** How long somebody waits: `45 seconds`, `3 minutes`. */
export function waitWords(seconds: number, lang: string): string {
  const [count, unit] = seconds < 120 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute'];
  return new Intl.NumberFormat(lang, { style: 'unit', unit: `${unit}`, unitDisplay: 'long' }).format(
    Number(count),
  );
}

/** Keeps the language that somebody chose by its link. It names nobody. */
export const languageHead = (asked: string | undefined): ReplyHead =>
  asked === undefined || !languages().some(({ code }) => code === asked)
    ? {}
    : { cookies: [{ name: LANGUAGE_COOKIE, value: asked, maxAgeSeconds: YEAR_SECONDS }] };
