import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { sessionIdleTimeout, sessionMaxAge } from './local.ts';

/** Sessions that were made, or seen, at these times or before have ended. */
export interface Ends {
  /** ISO time. */
  readonly now: string;
  /** ISO time of creation. */
  readonly createdUntil: string;
  /** ISO time of the last request; of somebody who signed in. Guests keep their session, and with it their cart. */
  readonly idleSince: string;
}

export const maxAgeSeconds = ({ settings }: Ctx): number => settings.get(sessionMaxAge) * SECONDS_PER_DAY;

/** The settings count from now on, for sessions that are open too (reliability M15). */
export function endsAt(ctx: Ctx): Ends {
  const now = ctx.now();
  return {
    now,
    createdUntil: addSeconds(now, -maxAgeSeconds(ctx)),
    idleSince: addSeconds(now, -ctx.settings.get(sessionIdleTimeout) * 60),
  };
}

/** Between the password and the second factor: long enough to find the phone. */
const PENDING_SECONDS = 10 * 60;

/** Whether the second factor was not proven in time: the password has to come again. */
export const waitedTooLong = (ctx: Ctx, { createdAt }: { createdAt: string }): boolean =>
  createdAt <= addSeconds(ctx.now(), -PENDING_SECONDS);

/** What of a session decides how long it lasts. */
export interface Lasting {
  readonly kind: string;
  readonly isRemembered: boolean;
  readonly keptUntil: string | null;
  readonly createdAt: string;
  readonly lastSeenAt: string;
}

export const hasEnded = (
  { kind, isRemembered, keptUntil, createdAt, lastSeenAt }: Lasting,
  { now, createdUntil, idleSince }: Ends,
): boolean => {
  const isKept = kind === 'guest' && keptUntil !== null && keptUntil > now;
  const isIdle = kind === 'user' && !isRemembered && lastSeenAt <= idleSince;
  return isIdle || (createdAt <= createdUntil && !isKept);
};
