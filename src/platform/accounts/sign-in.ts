import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Actor, personOf } from '#kernel/actor.ts';
import { addSeconds } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { type Proof, prove, stateOf } from '../second-factor/index.ts';
import { normalEmail } from './email.ts';
import { accountEvents } from './events.ts';
import { MAX_PASSWORD_LENGTH } from './local.ts';
import { hashPassword, isOutdated, verifyPassword } from './passwords.ts';
import * as repo from './repository.ts';

/** So many failures lock an account, for so long (reliability M13). */
const MOST_FAILURES = 10;
const LOCKED_SECONDS = 15 * 60;

/** An account whose password was right. */
export interface SignedInAccount {
  readonly id: string;
  readonly email: string;
  /** Of its sessions; a session that is begun with it ends with the password. */
  readonly generation: number;
  /** A code has to come before it may do anything: `proveSecondFactor`. */
  readonly needsSecondFactor: boolean;
}

/**
 * Judges an address and a password. Whether the address is known, the account locked or disabled shows neither in the
 * answer nor in its time.
 *
 * @returns the account, or null when it may not sign in
 * @throws AppError RATE_LIMITED when too many passwords wait to be hashed
 */
export async function signIn(
  ctx: Ctx,
  { email, password }: { email: string; password: string },
): Promise<SignedInAccount | null> {
  const found = await repo.findByEmail(ctx, normalEmail(email));
  // Nobody has such a password, and hashing what anybody sends must stay cheap.
  if ([...password].length > MAX_PASSWORD_LENGTH) return null;
  const isRight = await verifyPassword(ctx, password, found?.passwordHash ?? null);
  if (!found || !mayTry(ctx, found)) return null;
  if (!isRight) {
    noteFailure(ctx, found);
    return null;
  }
  return admit(ctx, found, isOutdated(found.passwordHash) ? await hashPassword(ctx, password) : null);
}

/**
 * Judges the code that follows a right password. Failures count into the lock of the account (Z25), and only this step
 * forgets those before it.
 *
 * @param accountId of the account that `signIn` or a link admitted
 */
export async function proveSecondFactor(ctx: Ctx, accountId: string, proof: Proof): Promise<boolean> {
  const isRight = await ctx.tx(async (ctx) => {
    const account = await repo.lockForSignIn(ctx, accountId);
    if (!account || !mayTry(ctx, account) || !(await prove(ctx, accountId, proof))) return false;
    await noteSignIn(ctx, account);
    return true;
  });
  // In a transaction of its own: what was refused is counted all the same.
  if (!isRight) await ctx.tx((ctx) => countFailure(ctx, accountId));
  return isRight;
}

/**
 * Whether a password is the one of an account that is signed in: before what only its owner may do (sudo). Failures
 * count as those of a sign-in.
 *
 * @throws AppError RATE_LIMITED when too many passwords wait to be hashed
 */
export async function provePassword(ctx: Ctx, accountId: string, password: string): Promise<boolean> {
  const found = await repo.findForSignIn(ctx, accountId);
  if ([...password].length > MAX_PASSWORD_LENGTH) return false;
  const isRight = await verifyPassword(ctx, password, found?.passwordHash ?? null);
  if (!found || !mayTry(ctx, found)) return false;
  if (!isRight) await ctx.tx((ctx) => countFailure(ctx, accountId));
  return isRight;
}

/**
 * Admits whoever has a right password, or a link in place of it, as far as there is no second factor to prove.
 *
 * @param ctx of the transaction that holds the account
 */
export async function admitted(ctx: Ctx, account: repo.SignInRow): Promise<SignedInAccount> {
  const { id, email, generation } = account;
  const needsSecondFactor = (await stateOf(ctx, id)).enabled;
  if (!needsSecondFactor) await noteSignIn(ctx, account);
  return { id, email, generation, needsSecondFactor };
}

/** Admits whoever has just made the account: nothing has to be proven again. */
export const admitNew = (ctx: Ctx, accountId: string): Promise<SignedInAccount | null> =>
  ctx.tx(async (ctx) => {
    const account = await repo.lockForSignIn(ctx, accountId);
    return account ? admitted(ctx, account) : null;
  });

async function noteSignIn(ctx: Ctx, { id, email }: repo.SignInRow): Promise<void> {
  await repo.noteSignIn(ctx, id);
  const actor: Actor = { kind: 'staff', id, label: email, isInstanceWide: true };
  await accountEvents.tell(ctx.with({ actor }), 'SIGNED_IN', id, { ip: ctx.origin.ip });
}

/** Notes that somebody signs out, if it is somebody of the staff; also while looking as somebody else. */
export async function noteSignOut(ctx: Ctx, visitor: Actor): Promise<void> {
  const { id, label } = personOf(visitor);
  if (visitor.kind !== 'staff' || id === null) return;
  const own = ctx.with({ actor: { kind: 'staff', id, label } });
  await own.tx((ctx) => accountEvents.tell(ctx, 'SIGNED_OUT', id, { ip: ctx.origin.ip }));
}

type Candidate = repo.SignInRow & { passwordHash: string };

const mayTry = (ctx: Ctx, found: repo.SignInRow): found is Candidate =>
  found.passwordHash !== null &&
  found.status === 'active' &&
  (found.lockedUntil === null || found.lockedUntil <= ctx.now());

/** What was judged may have changed meanwhile: a disabled account or another password is refused under the lock. */
async function admit(ctx: Ctx, found: Candidate, newHash: string | null): Promise<SignedInAccount | null> {
  return ctx.tx(async (ctx) => {
    const now = await repo.lockForSignIn(ctx, found.id);
    if (!now || now.passwordHash !== found.passwordHash || !mayTry(ctx, now)) return null;
    if (newHash !== null) await repo.replaceHash(ctx, now.id, newHash);
    return admitted(ctx, now);
  });
}

/**
 * After the answer, which would otherwise take longer for an account that there is. A locked account counts no more, so
 * what strangers can write is bounded.
 */
function noteFailure(ctx: Ctx, { id }: Candidate): void {
  nextTurn()
    .then(() => ctx.tx((ctx) => countFailure(ctx, id)))
    .catch((error: unknown) =>
      ctx.log.error({ err: error, account: id }, 'a failed sign-in was not counted'),
    );
}

async function countFailure(ctx: Ctx, id: string): Promise<void> {
  const failures = await repo.countFailure(ctx, id);
  if (failures === null) return;
  const isLocked = failures >= MOST_FAILURES;
  if (isLocked) await repo.lockAccount(ctx, id, addSeconds(ctx.now(), LOCKED_SECONDS));
  const { ip } = ctx.origin;
  await accountEvents.tell(ctx, 'SIGN_IN_FAILED', id, { failures, isLocked, ip });
}
