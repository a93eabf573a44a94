import type { Ctx } from '../context.ts';
import { containmentKey } from './client-address.ts';
import type { RateLimit } from './rate-limit.ts';

/**
 * The key under which a limit counts the address that a mail would go to: the same for every spelling that leads to one
 * mailbox, and never the address itself, which would stand in files and tables.
 *
 * @param input body or form that may have a field `email`
 * @returns null where it has none
 */
export function emailKey(ctx: Ctx, input: unknown): string | null {
  const email = (input as { email?: unknown } | null | undefined)?.email;
  if (typeof email !== 'string' || email === '') return null;
  return ctx.keyring.digest('lookup', `email:${email.trim().toLowerCase()}`);
}

/** Digits of a digest that are counted together when there are too many of them. */
const SHARED_DIGITS = 3;

/**
 * The coarser key under which a new one is counted while too many are alive (M18). Credentials and accounts are as many
 * as there are; of addresses, sessions and addresses of mail anybody makes as many as he likes.
 */
export function sharedKey({ by }: RateLimit, key: string): string {
  if (by === 'credential' || by === 'account' || by === 'customer') return key;
  return /[.:]/.test(key) ? containmentKey(key) : key.slice(0, SHARED_DIGITS);
}
