import { z } from 'zod';
import { addSeconds } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { flag, integer, optional, text } from '#kernel/http/fields.ts';
import { checkInput } from '#kernel/service/input.ts';
import { later } from '#kernel/sharing.ts';
import { keyPrefix } from '#licensing/catalog/key-formats/index.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { fail } from '#licensing/contract/errors.ts';
import { licensingEvent } from '#licensing/contract/events.ts';
import { bounds } from '#licensing/contract/limits.ts';
import { publish } from '#licensing/publish.ts';
import * as activations from '../../activations/index.ts';
import { statusAt } from '../../decision/index.ts';
import { liveMachinesOf, type Standing, subjectOf } from '../../standing/index.ts';
import { lock, reread } from '../locked.ts';
import type { License } from '../queries.ts';
import { drawKey } from './make.ts';
import * as repo from './repository.ts';

/** Body of replace-key: strict (D5, D130). */
export const ReplaceKeyBody = later(() =>
  z.strictObject({
    reason: text({ min: 1, max: bounds.reason }),
    /** How long the old key still works. */
    overlapSeconds: optional(integer(bounds.overlapSeconds.min, bounds.overlapSeconds.max)),
    deactivateAll: optional(flag()),
    turnOldIntoHoneypot: optional(flag()),
  }),
);
export type ReplaceKeyInput = z.output<typeof ReplaceKeyBody>;

/** Body of the admin API's replace-key. `withKey`: whether the answer holds the new key; it does when left out. */
export const StaffReplaceKeyBody = later(() => ReplaceKeyBody.extend({ withKey: optional(flag()) }));

/**
 * Gives a license another key; id, status, dates, usage and, unless `deactivateAll`, activations stay (D130,
 * licensing 5.4, 6.9). The old key works until the overlap ends, then answers as an unknown one. Keys that were
 * replaced before end with it at the latest: who replaces a key wants no older one to outlive it.
 *
 * @throws AppError VALIDATION_ERROR, NOT_FOUND; LICENSE_REVOKED (400)
 */
export async function replaceKey(
  ctx: Ctx,
  licenseId: string,
  input: ReplaceKeyInput,
): Promise<{ license: License; newKey: string }> {
  const {
    reason,
    overlapSeconds = 0,
    deactivateAll,
    turnOldIntoHoneypot,
  } = checkInput(ReplaceKeyBody, input);
  return ctx.tx(async (ctx) => {
    const standing = await lock(ctx, licenseId);
    refuseRevoked(standing);
    if (deactivateAll) await activations.endAll(ctx, standing, 'REPLACED');
    const now = ctx.now();
    const overlapUntil = overlapSeconds > 0 ? addSeconds(now, overlapSeconds) : null;
    await repo.retire(ctx, licenseId, retirement(overlapUntil, turnOldIntoHoneypot === true));
    await repo.shortenOverlaps(ctx, licenseId, overlapUntil);
    const product = await products.get(ctx, standing.product.id);
    const newKey = await drawKey(ctx, licenseId, product);
    await repo.touch(ctx, licenseId);
    await tell(ctx, standing, newKey, { reason, overlapUntil });
    return { license: await reread(ctx, licenseId), newKey };
  });
}

function retirement(overlapUntil: string | null, honeypot: boolean): repo.Retirement {
  const isTrap = overlapUntil === null && honeypot;
  return {
    kind: isTrap ? 'HONEYPOT' : 'REPLACED',
    overlapUntil,
    thenHoneypot: honeypot && !isTrap,
  };
}

function refuseRevoked({ license }: Standing): void {
  if (license.status !== 'REVOKED') return;
  throw fail('LICENSE_REVOKED', `license ${license.id} is REVOKED and cannot get a new key`, {
    details: { status: 'REVOKED', since: license.revokedAt, hint: 'mint a new license' },
  });
}

async function tell(
  ctx: Ctx,
  standing: Standing,
  newKey: string,
  { reason, overlapUntil }: { reason: string; overlapUntil: string | null },
): Promise<void> {
  const { license } = standing;
  const newKeyPrefix = keyPrefix(newKey);
  const details = { oldKeyPrefix: standing.keyPrefix, newKeyPrefix, reason, overlapUntil };
  await publish(
    ctx,
    { ...subjectOf(standing), keyPrefix: newKeyPrefix },
    { status: statusAt(license, ctx.now()), machineIds: liveMachinesOf(license.id) },
    licensingEvent('KEY_REPLACED', details),
  );
}
