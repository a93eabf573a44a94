import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { readDelegation, unixSeconds } from '#signing/keys/delegation.ts';
import { judgeDelegation } from './delegation-fault.ts';
import { delegateHere } from './online-keys.ts';
import * as repo from './repository.ts';

const DAYS_AHEAD = 30;

/**
 * Renews delegations that end within 30 days, or whose root key was retired, where the server holds the root key;
 * where it does not, the log warns every day (licensing 6.1, job `delegation-renew`). What a delegation allows stays.
 */
export async function renewDelegations(ctx: Ctx): Promise<{ renewed: number; warned: number }> {
  const counts = { renewed: 0, warned: 0 };
  for (const row of await repo.listDelegated(ctx)) {
    const fault = await faultOf(ctx, row);
    if (fault === null) continue;
    if (await renew(ctx.with({ tenantId: row.tenantId }), row)) counts.renewed += 1;
    else {
      const { keyId, publicKey, productSlug: product, tenantId } = row;
      const facts = { keyId, publicKey, product, tenantId, reason: fault };
      ctx.log.warn(facts, 'the delegation of an online key must be renewed: appctl keys delegate');
      counts.warned += 1;
    }
  }
  return counts;
}

/**
 * Looks after a product's online key in use when a root key was retired: its delegation may have ended with that key.
 *
 * @returns null when there is no such key or its delegation holds; `renewed` is false when a person must sign anew
 */
export async function renewOf(
  ctx: Ctx,
  productId: string,
): Promise<{ keyId: string; renewed: boolean } | null> {
  const { online } = await repo.listInForce(ctx, productId);
  const row = online.find(({ status, delegation }) => status === 'ACTIVE' && delegation !== null);
  if (!row || (await faultOf(ctx, row)) === null) return null;
  return { keyId: row.keyId, renewed: await renew(ctx, row) };
}

/** Why a delegation must be renewed, or null. */
async function faultOf(ctx: Ctx, row: repo.OnlineKeyRow): Promise<string | null> {
  const { roots } = await repo.listInForce(ctx, row.productId);
  const judged = judgeDelegation(row.delegation ?? '', row, roots, ctx.now());
  if ('fault' in judged) return judged.fault.reason;
  const soon = unixSeconds(addSeconds(ctx.now(), DAYS_AHEAD * SECONDS_PER_DAY));
  return judged.delegation.exp <= soon ? 'EXPIRES_SOON' : null;
}

/** Whether it was renewed. A key that cannot be opened must not keep the others from being renewed. */
async function renew(ctx: Ctx, row: repo.OnlineKeyRow): Promise<boolean> {
  const claims = readDelegation(row.delegation ?? '');
  try {
    return claims !== null && (await delegateHere(ctx, row, claims.use)) !== null;
  } catch (error) {
    ctx.log.error({ err: error, keyId: row.keyId }, 'a delegation could not be renewed');
    return false;
  }
}
