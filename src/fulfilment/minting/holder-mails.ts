import type { Ctx } from '#kernel/context.ts';
import { cardsOf } from '#licensing/licenses/licenses/index.ts';
import { defineMail, queueMail } from '#platform/mail/index.ts';
import { mailWords } from '#storefront/contract/mail-words.ts';
import * as orders from '#storefront/orders/orders/index.ts';
import { REASONS } from './choose.ts';
import type { LicenseMint } from './record.ts';

const told = ['order_number', 'product', 'license_masked', 'reason', 'order_url'] as const;
const sample = {
  order_number: '1001',
  product: 'Editor Pro',
  license_masked: 'ABCD-****-****-****',
  reason: 'The payment was refunded.',
  order_url: 'https://shop.example/shop/order/abc',
};

const suspendedMail = defineMail({ key: 'license_suspended', placeholders: told, sample });
const revokedMail = defineMail({ key: 'license_revoked', placeholders: told, sample });

/** What customers are written about their licenses (storefront-domain 14). */
export const holderMails = [suspendedMail, revokedMail];

/** What a customer asked for, or is written by the order itself. */
const EXPECTED: ReadonlySet<string | null> = new Set([REASONS.return, REASONS.cancelled]);
const WORDED: ReadonlySet<string | null> = new Set([REASONS.refund, REASONS.dispute]);

const isUnexpected = (before: LicenseMint, after: LicenseMint): boolean =>
  after.licenseId !== null &&
  after.status !== before.status &&
  (after.status === 'suspended' || after.status === 'revoked') &&
  !EXPECTED.has(after.reason) &&
  !EXPECTED.has(before.reason);

/**
 * Writes to the customer of an order whose license stops working without having asked for that, in the transaction of what
 * has happened (fulfilment section 6).
 *
 * @param after rows of one order, as `before` in the same places
 */
export async function tellHolder(
  ctx: Ctx,
  before: readonly LicenseMint[],
  after: readonly LicenseMint[],
): Promise<void> {
  const ended = after.filter((mint, at) => isUnexpected(before[at] ?? mint, mint));
  const [first] = ended;
  const order = first ? await orders.findOrder(ctx, first.orderId) : null;
  if (!order) return;
  const t = await mailWords(ctx, order.locale);
  const cards = await cardsOf(ctx, { ids: ended.map(({ licenseId }) => licenseId ?? '') });
  for (const mint of ended) {
    const card = cards.find(({ id }) => id === mint.licenseId);
    if (!card) continue;
    await queueMail(ctx, mint.status === 'suspended' ? suspendedMail : revokedMail, {
      to: { address: order.email, name: null },
      locale: order.locale,
      values: {
        order_number: order.orderNumber ?? '',
        product: card.product.name,
        license_masked: card.keyMasked,
        reason: t(`license.reason_${WORDED.has(mint.reason) ? mint.reason : 'OTHER'}`),
        order_url: await orders.accessUrl(ctx, order),
      },
      dedupe: `${mint.id}:${mint.status}:${mint.updatedAt}`,
      related: { type: 'order', id: order.id },
    });
  }
}
