import { z } from 'zod';
import { systemClock } from '#kernel/clock.ts';
import { AppError } from '#kernel/errors.ts';
import type { Cli } from '../frame/context.ts';
import { toFailure } from '../frame/exits.ts';
import { humanTime } from '../frame/times.ts';
import { adminClient } from '../remote/client.ts';
import type { Profile } from '../remote/profiles.ts';

/** A server that does not answer must not hold up what follows. */
const PATIENCE_SECONDS = 10;

/**
 * Ends the token of a saved login on its server. Where that fails, a warning says how long the token stays valid there,
 * and what ends it.
 *
 * @returns whether it has ended
 */
export async function endLogin(cli: Cli, saved: Profile): Promise<boolean> {
  const timeoutSeconds = cli.timeoutSeconds ?? PATIENCE_SECONDS;
  try {
    const client = await adminClient({ ...cli, timeoutSeconds }, saved);
    await client.call({ method: 'DELETE', path: 'admin/auth/token' }, z.looseObject({}));
    return true;
  } catch (error) {
    // The server knows no such login any more.
    if (error instanceof AppError && error.status === 401) return true;
    cli.warn(stillValid(saved, toFailure(error).message));
    return false;
  }
}

function stillValid({ base, tokenId, email, expiresAt }: Profile, why: string): string {
  const server = base.href.replace(/\/$/, '');
  const until = humanTime(expiresAt, systemClock.epochMs());
  return [
    `the server could not be notified: ${why}.`,
    `The token of this login stays valid there until ${until}.`,
    `A new password for ${email} ends it; an owner can also run: appctl admin token revoke ${tokenId ?? 'ID'} --server ${server}`,
  ].join(' ');
}
