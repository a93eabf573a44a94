import type { Ctx } from '#kernel/context.ts';
import { codePoints } from '#kernel/http/fields.ts';
import type { ConfirmAction, FlagStatus } from '#licensing/contract/enumerations.ts';
import { fail } from '#licensing/contract/errors.ts';
import { licensingEvent } from '#licensing/contract/events.ts';
import { bounds } from '#licensing/contract/limits.ts';
import { statusAt } from '#licensing/licenses/decision/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { liveMachinesOf, subjectOf } from '#licensing/licenses/standing/index.ts';
import { publish } from '#licensing/publish.ts';
import { abuseFlagEvents } from './events.ts';
import { flagRows } from './queries.ts';
import { raise } from './raise.ts';
import * as repo from './repository.ts';
import type { Flag } from './view.ts';

const LONGEST_NAME = 100;

/** One flag of the tenant. @throws AppError NOT_FOUND */
export async function get(ctx: Ctx, flagId: string): Promise<Flag> {
  const flag = await flagRows.find(ctx, flagId);
  if (flag) return flag;
  throw fail('NOT_FOUND', `flag ${flagId} was not found`, { details: { hint: 'appctl abuse list' } });
}

/**
 * Flags a license by hand (licensing 4.2, POST /abuse/flags; rule MANUAL).
 *
 * @param note why, 1 to 500 characters
 * @throws AppError NOT_FOUND for the license; VALIDATION_ERROR; CONFLICT while such a flag is open
 */
export async function flag(ctx: Ctx, licenseId: string, note: string): Promise<Flag> {
  checkNote(note);
  return ctx.tx(async (ctx) => {
    await licenses.get(ctx, licenseId);
    const id = await raise(ctx, { licenseId, rule: 'MANUAL', score: 1, evidence: {}, note });
    if (id !== null) return get(ctx, id);
    throw fail('CONFLICT', `license ${licenseId} already has an open MANUAL flag`, {
      details: { hint: `appctl abuse list --license ${licenseId} --status OPEN` },
    });
  });
}

/**
 * Closes a flag as unfounded: ABUSE_CLEARED (D129). A license that the flag suspended stays suspended.
 *
 * @param note why, 1 to 500 characters
 * @throws AppError NOT_FOUND; VALIDATION_ERROR; CONFLICT for a flag that is closed
 */
export async function clear(ctx: Ctx, flagId: string, note: string): Promise<Flag> {
  checkNote(note);
  return ctx.tx(async (ctx) => {
    const { licenseId, rule } = await get(ctx, flagId);
    const standing = await licenses.lockStanding(ctx, { id: licenseId }, '', ctx.now());
    await close(ctx, flagId, 'CLEARED', note);
    if (!standing) await tellResolved(ctx, { flagId, licenseId, rule, status: 'CLEARED' });
    else {
      const after = { status: statusAt(standing.license, ctx.now()), machineIds: liveMachinesOf(licenseId) };
      const event = licensingEvent('ABUSE_CLEARED', { flagId, rule, resolution: 'CLEARED', note });
      await publish(ctx, subjectOf(standing), after, event);
    }
    return get(ctx, flagId);
  });
}

/**
 * Closes a flag as founded, without an event (D129), and does what is asked about the license.
 *
 * @param note why, 1 to 500 characters
 * @throws AppError as `clear`; what the action throws, and then the flag stays open
 */
export async function confirm(
  ctx: Ctx,
  flagId: string,
  { note, action }: { note: string; action: ConfirmAction },
): Promise<Flag> {
  checkNote(note);
  return ctx.tx(async (ctx) => {
    const { licenseId, rule } = await get(ctx, flagId);
    await licenses.lockStanding(ctx, { id: licenseId }, '', ctx.now());
    await close(ctx, flagId, 'CONFIRMED', note);
    await tellResolved(ctx, { flagId, licenseId, rule, status: 'CONFIRMED' });
    await actions[action](ctx, licenseId, note);
    return get(ctx, flagId);
  });
}

/** What the timeline of the license does not hold is on record all the same. */
const tellResolved = (
  ctx: Ctx,
  { flagId, ...resolved }: { flagId: string } & Pick<Flag, 'licenseId' | 'rule' | 'status'>,
): Promise<void> =>
  abuseFlagEvents.tell(ctx, 'ABUSE_FLAG_RESOLVED', flagId, resolved, {
    before: { status: 'OPEN' },
    after: { status: resolved.status },
  });

/** The old key of a replacement is dead at once. */
const actions: Record<ConfirmAction, (ctx: Ctx, licenseId: string, note: string) => Promise<unknown>> = {
  NONE: async () => undefined,
  SUSPEND: (ctx, licenseId, note) => licenses.suspend(ctx, licenseId, { reason: 'ABUSE', note }),
  REPLACE_KEY: (ctx, licenseId, reason) => licenses.replaceKey(ctx, licenseId, { reason }),
};

async function close(ctx: Ctx, id: string, status: FlagStatus, note: string): Promise<void> {
  const { kind, label } = ctx.actor;
  const resolvedBy = [...(label === null ? kind : `${kind}:${label}`)].slice(0, LONGEST_NAME).join('');
  if (await repo.resolve(ctx, { id, status, note, resolvedBy })) return;
  const { status: before } = await get(ctx, id);
  throw fail('CONFLICT', `flag ${id} is ${before} already`, { details: { status: before } });
}

function checkNote(note: string): void {
  const length = codePoints(note);
  if (length >= 1 && length <= bounds.reason && note.isWellFormed() && !note.includes('\0')) return;
  const message = `must have 1 to ${bounds.reason} characters`;
  throw fail('VALIDATION_ERROR', `note ${message}`, {
    details: { issues: [{ path: 'note', rule: 'range', message }] },
  });
}
