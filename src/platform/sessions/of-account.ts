import type { Ctx } from '#kernel/context.ts';
import { endsAt } from './lifetime.ts';
import * as repo from './repository.ts';

type Kind = repo.Holder['kind'];

/** A browser in which an account is signed in. */
export interface SessionOfAccount {
  readonly id: string;
  readonly ip: string | null;
  readonly userAgent: string | null;
  /** ISO time of the sign-in. */
  readonly createdAt: string;
  /** ISO time, to the minute. */
  readonly lastSeenAt: string;
  /** The second factor is still to come. */
  readonly isPending: boolean;
}

/** Sessions of an account that are open, those that were seen last first; 200 at most. */
export async function sessionsOf(
  ctx: Ctx,
  accountId: string,
  kind: Kind = 'staff',
): Promise<SessionOfAccount[]> {
  const rows = await repo.listOf(ctx, { kind, id: accountId }, endsAt(ctx));
  return rows.map(({ id, ip, userAgent, createdAt, lastSeenAt, ...pending }) => ({
    id,
    ip,
    userAgent,
    createdAt,
    lastSeenAt,
    isPending: kind === 'staff' ? pending.twoFactorPending : pending.customerPending,
  }));
}

/** Ends one session of an account at once. @returns false when the account has no such session */
export const removeSession = (
  ctx: Ctx,
  accountId: string,
  id: string,
  kind: Kind = 'staff',
): Promise<boolean> => ctx.tx((ctx) => repo.removeOf(ctx, { kind, id: accountId }, id));

/**
 * Ends the sessions of an account. A sign-in that is under way is stopped by the generation of the account, which its
 * owner raises.
 *
 * @param exceptId of the one that stays; null: none does
 * @returns how many were open
 */
export const removeSessions = (
  ctx: Ctx,
  accountId: string,
  exceptId: string | null,
  kind: Kind = 'staff',
): Promise<number> => ctx.tx((ctx) => repo.removeAllOf(ctx, { kind, id: accountId }, exceptId));
