import type { Ctx } from '#kernel/context.ts';
import { cardsOf, keyOf, type LicenseCard } from '#licensing/licenses/licenses/index.ts';
import type { DeliveredLicense, DeliveryProblem, LicensesOf } from '#storefront/contract/extensions.ts';
import { emailNormed } from '#storefront/people/customers/index.ts';
import { isMissing, type LicenseMint, mintsOf } from '../minting/index.ts';

/** The licenses of an order, and what could not be made yet. Of an order without any it costs one question. */
export const licensesOfOrder: LicensesOf = (ctx, order, { withKeys }) =>
  delivered(ctx, order, () => withKeys);

/** @param mayHaveKey of which licenses the whole key is given, while they work */
async function delivered(
  ctx: Ctx,
  order: Parameters<LicensesOf>[1],
  mayHaveKey: (card: LicenseCard) => boolean,
): ReturnType<LicensesOf> {
  const mints = await mintsOf(ctx, order.id);
  const made = mints.flatMap(({ licenseId }) => (licenseId === null ? [] : [licenseId]));
  if (made.length === 0) return { licenses: [], problems: problemsOf(mints) };
  const byId = new Map((await cardsOf(ctx, { ids: made })).map((card) => [card.id, card]));
  const licenses: DeliveredLicense[] = [];
  for (const { licenseId, orderItemId } of mints) {
    const card = byId.get(licenseId ?? '');
    if (!card) continue;
    const { id, keyMasked, status, type, tier, validUntil, activationsUsed, maxActivations } = card;
    const key = status === 'ACTIVE' && mayHaveKey(card) ? await keyOf(ctx, id) : null;
    licenses.push({
      ...{ id, product: card.product.name, keyMasked, key, status, type, tier, validUntil },
      ...{ activationsUsed, maxActivations, orderItemId },
    });
  }
  return { licenses, problems: problemsOf(mints) };
}

function problemsOf(mints: readonly LicenseMint[]): DeliveryProblem[] {
  const missing = new Map<string | null, number>();
  for (const { status, wanted, orderItemId } of mints)
    if (wanted === 'minted' && isMissing({ status }))
      missing.set(orderItemId, (missing.get(orderItemId) ?? 0) + 1);
  return [...missing].map(([orderItemId, count]) => ({ orderItemId, missing: count }));
}

/**
 * The licenses of an order that work, for a mail about it: with the whole key where the mail goes to the address that the
 * license was made for, which is the one that paid. Staff may change the address of an order, and never see its keys.
 */
export async function licensesForMail(ctx: Ctx, order: Parameters<LicensesOf>[1], to: string) {
  const { licenses, problems } = await delivered(
    ctx,
    order,
    ({ customerEmail }) => emailNormed(customerEmail) === emailNormed(to),
  );
  return { licenses: licenses.filter(({ status }) => status === 'ACTIVE'), problems };
}
