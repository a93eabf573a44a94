import { type CheckScope, type Finding, fail, ok, skip } from '#kernel/check.ts';
import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { counted } from '#kernel/counts.ts';
import { verifyPassword } from '../passwords/index.ts';
import * as repo from './repository.ts';

/** Each guess takes as long as a sign-in: so many accounts are tried, the oldest first. */
const MOST_ACCOUNTS = 30;
/** What is tried first by whoever guesses. New passwords cannot be these; those of a moved or older installation can. */
const COMMON = [
  'password',
  'password123',
  'admin',
  'administrator',
  'changeme',
  'letmein',
  '123456',
  '12345678',
];

/** What the account itself gives away, and what everybody tries. */
function guessesOf(ctx: Ctx, email: string): string[] {
  const local = email.split('@', 1)[0] ?? email;
  return [...new Set([email, local, `${local}123`, ctx.serviceName, `${ctx.serviceName}123`, ...COMMON])];
}

/**
 * Tries what anybody would try on the passwords of staff. Unasked, accounts of the last day are left alone: their
 * passwords were judged when they were set, and a server that has just started has better uses for its memory.
 */
export async function checkPasswords(ctx: Ctx, { isRoutine }: CheckScope): Promise<Finding> {
  const until = isRoutine ? addSeconds(ctx.now(), -SECONDS_PER_DAY) : ctx.now();
  const accounts = await repo.listWithPassword(ctx, until, MOST_ACCOUNTS);
  if (accounts.length === 0)
    return skip(
      isRoutine ? 'no account with a password is older than a day' : 'no account has a password yet',
    );
  const weak: string[] = [];
  for (const { email, passwordHash } of accounts)
    if (await isGuessed(ctx, email, passwordHash)) weak.push(email);
  const [first] = weak;
  if (first === undefined) return ok(`${counted(accounts.length, 'password')} cannot be guessed at once`);
  return fail(
    `passwords that anybody guesses: ${weak.join(', ')}`,
    `appctl admin user reset-password ${first} --generate`,
  );
}

async function isGuessed(ctx: Ctx, email: string, hash: string): Promise<boolean> {
  for (const guess of guessesOf(ctx, email)) if (await verifyPassword(ctx, guess, hash)) return true;
  return false;
}
