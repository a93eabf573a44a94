import type { Ctx } from '#kernel/context.ts';
import { cardsOf, keyOf } from '#licensing/licenses/licenses/index.ts';
import type { DeliveredLicense, DeliveryProblem, LicensesOf } from '#storefront/contract/extensions.ts';
import { isMissing, type LicenseMint, mintsOf } from '../minting/index.ts';

/** The licenses of an order, and what could not be made yet. Of an order without any it costs one question. */
export const licensesOfOrder: LicensesOf = async (ctx, order, { withKeys }) => {
  const mints = await mintsOf(ctx, order.id);
  const made = mints.flatMap(({ licenseId }) => (licenseId === null ? [] : [licenseId]));
  if (made.length === 0) return { licenses: [], problems: problemsOf(mints) };
  const byId = new Map((await cardsOf(ctx, { ids: made })).map((card) => [card.id, card]));
  const licenses: DeliveredLicense[] = [];
  for (const { licenseId, orderItemId } of mints) {
    const card = byId.get(licenseId ?? '');
    if (!card) continue;
    const { id, keyMasked, status, type, tier, validUntil, activationsUsed, maxActivations } = card;
    const key = withKeys && status === 'ACTIVE' ? await keyOf(ctx, id) : null;
    licenses.push({
      ...{ id, product: card.product.name, keyMasked, key, status, type, tier, validUntil },
      ...{ activationsUsed, maxActivations, orderItemId },
    });
  }
  return { licenses, problems: problemsOf(mints) };
};

function problemsOf(mints: readonly LicenseMint[]): DeliveryProblem[] {
  const missing = new Map<string | null, number>();
  for (const { status, wanted, orderItemId } of mints)
    if (wanted === 'minted' && isMissing({ status }))
      missing.set(orderItemId, (missing.get(orderItemId) ?? 0) + 1);
  return [...missing].map(([orderItemId, count]) => ({ orderItemId, missing: count }));
}

/** The whole keys of the licenses of an order that work, for a mail to its buyer. */
export async function licensesWithKeys(ctx: Ctx, order: Parameters<LicensesOf>[1]) {
  const { licenses, problems } = await licensesOfOrder(ctx, order, { withKeys: true });
  return { licenses: licenses.filter(({ key }) => key !== null), problems };
}
