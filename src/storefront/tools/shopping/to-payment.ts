import type { Ctx } from '#kernel/context.ts';
import { type Shown, show } from '#kernel/http/page.ts';
import type { Visitor } from '#kernel/http/visitor.ts';
import type { Payment } from '#storefront/orders/payments/index.ts';
import { languageHead, type ShopWords, seoOf, wordsOf } from '../shop/index.ts';

/** What every page about an order has. */
export const frame = (ctx: Ctx, words: ShopWords, path: string, title: string) => ({
  ...words,
  title,
  crumbs: [],
  seo: seoOf(ctx, { path, description: title, index: false, ld: [] }),
});

/** The address of the processor's page where a payment waits for its buyer; null where it does not. */
export function pageToPayOn({ status, nextAction }: Pick<Payment, 'status' | 'nextAction'>): string | null {
  const next = nextAction as { kind?: string; url?: string } | null;
  if (status !== 'requires_action' || next?.kind !== 'redirect' || !next.url) return null;
  return new URL(next.url).href;
}

/**
 * A page that goes on to the processor's own. A redirect would be shorter, but browsers hold the target of a form, and
 * wherever it redirects to, against the page's content policy (`form-action 'self'`), and processors redirect to
 * addresses that nobody can list (shop-pages 2.4).
 *
 * @param url of `pageToPayOn`
 */
export async function toPayment(
  ctx: Ctx,
  visitor: Visitor,
  code: string | undefined,
  url: string,
): Promise<Shown> {
  const words = await wordsOf(ctx, visitor, code);
  const data = { ...frame(ctx, words, '/shop/checkout', words.t('checkout.to_payment')), url };
  return show('shop/to-payment', data, {
    head: { ...languageHead(code), headers: { Refresh: `0; url=${url}` } },
  });
}

/**
 * A payment that is not decided: the page looks again by itself. Where it waits for its buyer, they go on to it or choose
 * another way; who gave it up decides in their own time.
 */
export function waiting(
  { t }: ShopWords,
  payment: Pick<Payment, 'status' | 'nextAction'>,
  {
    lang,
    again,
    ...more
  }: { number: string | null; other: string; lang: string | undefined; again: boolean },
  framed: (title: string) => object,
): Shown {
  const url = pageToPayOn(payment);
  const title = t(url === null ? 'checkout.pending' : 'checkout.open');
  return show(
    url === null ? 'shop/payment-pending' : 'shop/payment-open',
    { ...framed(title), ...more, url },
    {
      head: { ...languageHead(lang), ...(again && { headers: { Refresh: '5' } }) },
    },
  );
}
