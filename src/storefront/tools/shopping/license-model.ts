import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import type { Visitor } from '#kernel/http/visitor.ts';
import { isOrderedHere } from '#storefront/buying/checkout/index.ts';
import { liveGrantsOf } from '#storefront/buying/downloads/index.ts';
import { accountLicenses, type DeliveredLicense } from '#storefront/contract/extensions.ts';
import { awaitsLicense, itemsOf, licensesOf, type Order } from '#storefront/orders/orders/index.ts';
import type { ShopWords } from '../shop/index.ts';
import { downloadShown, releasesShown } from './download-model.ts';
import { timeIn } from './order-model.ts';

/** So long after the payment whoever paid sees the whole keys (fulfilment 8). */
const SHOWN_SECONDS = SECONDS_PER_DAY;

/** What is delivered with an order, on its pages; with one that is not paid nothing is. */
export async function deliveredShown(ctx: Ctx, order: Order, visitor: Visitor, words: ShopWords) {
  const { paidAt } = order;
  if (paidAt === null) {
    const awaitsLicenses = awaitsLicense(order, await itemsOf(ctx, order.id));
    return { licenses: [], missingLicenses: false, awaitsLicenses, keysHidden: false, downloads: [] };
  }
  const isRecent = ctx.now() < addSeconds(paidAt, SHOWN_SECONDS);
  const withKeys = isRecent && (await isOrderedHere(ctx, visitor, order));
  const { licenses, problems } = await licensesOf(ctx, order, { withKeys });
  const isOwner = visitor.customer !== null && visitor.customer.id === order.customerId;
  const [place] = isOwner && licenses.length > 0 ? await ctx.filled(accountLicenses) : [];
  const time = timeIn(ctx, words, 'minute');
  const { t } = words;
  return {
    licenses: licenses.map((one) => ({
      product: one.product,
      key: one.key,
      keyMasked: one.keyMasked,
      status: t(`license.status_${one.status}`),
      until: one.validUntil === null ? null : time(one.validUntil),
      machines: t(one.type === 'FLOATING' ? 'license.seats_used' : 'license.machines_used', {
        used: one.activationsUsed,
        max: one.maxActivations,
      }),
      href: place ? `${place.path}/${encodeURIComponent(one.id)}` : null,
    })),
    missingLicenses: problems.length > 0,
    awaitsLicenses: false,
    keysHidden: licenses.some(({ key, status }) => key === null && status === 'ACTIVE'),
    downloads: await downloadsShown(ctx, order, licenses, words),
  };
}

/** The files of an order, and the newest releases that its licenses open; not those that are among its files already. */
async function downloadsShown(
  ctx: Ctx,
  { id }: Order,
  licenses: readonly DeliveredLicense[],
  words: ShopWords,
) {
  const grants = await liveGrantsOf(ctx, id);
  const isAmong = ({ orderItemId }: DeliveredLicense): boolean =>
    grants.some((one) => one.kind === 'license_release' && one.orderItemId === orderItemId);
  return [
    ...(await releasesShown(
      ctx,
      licenses.filter((one) => !isAmong(one)),
      words,
    )),
    ...grants.map((grant) => downloadShown(ctx, grant, words)),
  ];
}
