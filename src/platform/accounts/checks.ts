import { type Check, type Finding, fail, ok, onSchema, skip } from '#kernel/check.ts';
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

async function checkPasswords(ctx: Ctx): Promise<Finding> {
  const accounts = await repo.listWithPassword(ctx, MOST_ACCOUNTS);
  if (accounts.length === 0) return skip('no account has a password yet');
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

/** What `appctl doctor` asks about accounts (cli.md section 7). */
export const accountChecks: readonly Check[] = [
  {
    id: 'admin.weak-password',
    title: 'passwords of staff',
    isLong: 'daily',
    run: onSchema(checkPasswords),
  },
];
