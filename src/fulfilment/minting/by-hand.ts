import { type Actor, allows } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { fail } from '#kernel/service/errors.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import * as orders from '#storefront/orders/orders/index.ts';
import { ids } from '../ids.ts';
import * as repo from './repository.ts';

/** The metadata by which a license that is made by hand names an order of the shop. */
export const STORE_ORDER = 'store_order';

/** Commands on the machine, and staff in the panel or with their tokens. */
const HANDS: ReadonlySet<Actor['kind']> = new Set(['system', 'cli', 'staff', 'admin']);

/**
 * Shows a license that somebody has made by hand with its order, when it names one; in the transaction that makes it. Of
 * whoever may not change orders, as programs with a key of the license service, the metadata is metadata: it writes into no
 * order, and tells nobody which numbers there are.
 *
 * @throws AppError NOT_FOUND for an order that is not there: the license is not made then
 */
export async function noteMadeByHand(ctx: Ctx, licenseId: string): Promise<void> {
  if (!HANDS.has(ctx.actor.kind) || !allows(ctx.actor, 'orders:write')) return;
  const { metadata, keyPrefix } = await licenses.get(ctx, licenseId);
  const number = metadata?.[STORE_ORDER];
  if (typeof number !== 'string') return;
  const found = await orders.findByNumber(ctx, number);
  if (!found)
    throw fail('NOT_FOUND', `order ${number} does not exist`, {
      details: { hint: 'appctl store order list --q TEXT finds orders' },
    });
  const { id: orderId } = await orders.lock(ctx, found.id);
  const own = (await repo.mintsOf(ctx, orderId)).filter(({ orderItemId }) => orderItemId === null);
  const now = ctx.now();
  await repo.insertMint(ctx, {
    id: ctx.newId(ids.licenseMint),
    orderId,
    orderItemId: null,
    unitNo: Math.max(0, ...own.map(({ unitNo }) => unitNo)) + 1,
    licenseId,
    renews: null,
    renewedDays: null,
    status: 'minted',
    wanted: 'minted',
    reason: null,
    holdRef: null,
    idempotencyKey: `hand:${licenseId}`,
    error: null,
    attempts: 0,
    nextAttemptAt: null,
    updatedAt: now,
    createdAt: now,
  });
  await orders.note(ctx, orderId, {
    type: 'license',
    data: { licenses: [{ id: licenseId, key_prefix: keyPrefix }] },
    visibleToCustomer: true,
  });
}
