import type { Ctx } from '#kernel/context.ts';
import { fail } from '#kernel/service/errors.ts';
import * as orders from '#storefront/orders/orders/index.ts';
import { become, findMint, type LicenseMint, mintsOf, REASONS, retryOrder } from '../minting/index.ts';
import { licenseMintEvents } from './events.ts';
import { type MintOf, mintRows } from './queries.ts';

/** What staff do with the license of a unit, each with a reason that its history keeps. */
export type Deed = 'suspend' | 'reinstate' | 'revoke';

const WISHES = { suspend: 'suspended', reinstate: 'minted', revoke: 'revoked' } as const;
/** From which states each is possible; asked for again, it changes nothing. */
const FROM: Readonly<Record<Deed, readonly LicenseMint['status'][]>> = {
  suspend: ['minted', 'kept'],
  reinstate: ['suspended'],
  revoke: ['pending', 'minted', 'failed', 'suspended', 'kept'],
};

/** Whether something can be done with a license now. */
export const allows =
  (deed: Deed) =>
  ({ status, renews }: Pick<LicenseMint, 'status' | 'renews'>): boolean =>
    // Of a renewal, only what it added can be taken back.
    FROM[deed].includes(status) && (renews === null || deed === 'revoke');

/** One license of an order. @throws AppError NOT_FOUND */
export async function getMint(ctx: Ctx, id: string): Promise<MintOf> {
  const found = await mintRows.find(ctx, id);
  if (!found) throw fail('NOT_FOUND', `license ${id} of an order does not exist`);
  return found;
}

/**
 * Suspends, reinstates or revokes the license of a unit, under the lock of its order, in whose history it is noted.
 *
 * @param reason in words; the history of the license keeps it
 * @throws AppError NOT_FOUND; CONFLICT, reason INVALID_TRANSITION, for one that is in no state for it
 */
export async function doWith(ctx: Ctx, id: string, deed: Deed, reason: string): Promise<MintOf> {
  const { orderId } = await getMint(ctx, id);
  return ctx.tx(async (ctx) => {
    await orders.lock(ctx, orderId);
    const mint = (await findMint(ctx, id)) as LicenseMint;
    if (mint.status === WISHES[deed] && mint.wanted === WISHES[deed]) return getMint(ctx, id);
    if (!allows(deed)(mint))
      throw fail(
        'CONFLICT',
        `a ${mint.renews === null ? 'license of an order' : 'renewal'} that is ${mint.status} cannot be ${WORDS[deed]}`,
        {
          details: { reason: 'INVALID_TRANSITION' },
        },
      );
    // What a refund has taken stays refunded, whatever staff do with its license.
    const isRefunded = mint.status === 'kept' || mint.reason === REASONS.refund;
    const kept = isRefunded ? REASONS.refund : deed === 'reinstate' ? null : STAFF;
    const [after] = await become(ctx, [mint], { wanted: WISHES[deed], reason: kept, note: reason });
    await told(ctx, deed, mint, after as LicenseMint, reason);
    await orders.note(ctx, orderId, {
      type: 'license',
      body: `${NOTED[deed]}: ${reason}`,
      data: { order_item_id: mint.orderItemId, license_id: mint.licenseId, by: deed },
    });
    return getMint(ctx, id);
  });
}

const told = (
  ctx: Ctx,
  name: Deed | 'mint',
  before: LicenseMint,
  after: LicenseMint,
  reason: string | null,
) =>
  licenseMintEvents.tell(
    ctx,
    `order_license.${name}`,
    after.id,
    { orderId: after.orderId, licenseId: after.licenseId, status: after.status, reason },
    { before, after },
  );

/** Why the license service is told that it suspends one. */
const STAFF = 'ADMIN';
const WORDS = { suspend: 'suspended', reinstate: 'reinstated', revoke: 'revoked' } as const;
const NOTED = {
  suspend: 'License suspended by staff',
  reinstate: 'License reinstated by staff',
  revoke: 'License revoked by staff',
} as const;

/** Makes what the order of a license is missing, and does again what could not be done. @throws AppError NOT_FOUND */
export async function tryAgain(ctx: Ctx, id: string): Promise<MintOf> {
  return ctx.tx(async (ctx) => {
    const { orderId } = await getMint(ctx, id);
    await againOfOrder(ctx, orderId);
    return getMint(ctx, id);
  });
}

/** As `tryAgain`, for an order of which no license has a row yet. @returns how many still wait */
export async function againOfOrder(ctx: Ctx, orderId: string): Promise<number> {
  return ctx.tx(async (ctx) => {
    await orders.lock(ctx, orderId);
    const before = new Map((await mintsOf(ctx, orderId)).map((mint) => [mint.id, mint]));
    const waiting = await retryOrder(ctx, orderId);
    for (const after of await mintsOf(ctx, orderId)) {
      const was = before.get(after.id);
      if (was?.status !== after.status || was.error !== after.error)
        await told(ctx, 'mint', was ?? after, after, null);
    }
    return waiting;
  });
}
