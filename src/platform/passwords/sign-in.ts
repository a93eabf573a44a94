import { setImmediate as nextTurn } from 'node:timers/promises';
import { addSeconds } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { type Proof, prove, stateOf } from '../second-factor/index.ts';
import { MAX_PASSWORD_LENGTH } from './local.ts';
import { hashPassword, isOutdated, verifyPassword } from './passwords.ts';

/** So many failures lock an account, for so long (reliability M13). */
const MOST_FAILURES = 10;
const LOCKED_SECONDS = 15 * 60;

/** What signing in looks at, of whatever kind of account. */
export interface Account {
  readonly id: string;
  readonly email: string;
  readonly passwordHash: string | null;
  /** Of its sessions; a session that is begun with another one has ended. */
  readonly generation: number;
  readonly lockedUntil: string | null;
}

/** An account whose password was right. */
export interface SignedInAccount {
  readonly id: string;
  readonly email: string;
  /** Of its sessions; a session that is begun with it ends with the password. */
  readonly generation: number;
  /** A code has to come before it may do anything: `proveSecondFactor`. */
  readonly needsSecondFactor: boolean;
}

/** Where a kind of accounts is kept, and who is told what happens to one. */
export interface AccountStore<A extends Account> {
  findByEmail(ctx: Ctx, email: string): Promise<A | null | undefined>;
  find(ctx: Ctx, id: string): Promise<A | null | undefined>;
  /** Holds an account until the end of the transaction, and reads it as it is then. */
  lock(ctx: Ctx, id: string): Promise<A | null | undefined>;
  /** Whether the account may sign in at all. */
  isOpen(account: A): boolean;
  /** What keeps an account out although its password is right; throws, and is told to nobody else. */
  requireAdmitted?(ctx: Ctx, account: A): void;
  /** Keeps the same password under another hash. */
  replaceHash(ctx: Ctx, id: string, passwordHash: string): Promise<unknown>;
  /** Notes and tells that somebody signed in, and forgets the failures before it. */
  noteSignIn(ctx: Ctx, account: A): Promise<void>;
  /** Counts a failure of an account that is not locked. @returns how many there are now; null when it is locked */
  countFailure(ctx: Ctx, id: string): Promise<number | null>;
  /** Locks it until an ISO time; its failures are counted anew after that. */
  lockOut(ctx: Ctx, id: string, until: string): Promise<unknown>;
  tellFailure(ctx: Ctx, id: string, failure: { failures: number; isLocked: boolean }): Promise<void>;
}

/** How a kind of accounts signs in: staff and customers do it alike (reliability M13, M14). */
export const passwordSignIn = <A extends Account>(store: AccountStore<A>) => ({
  /**
   * Judges an address and a password. Whether the address is known, the account locked or disabled shows neither in the
   * answer nor in its time.
   *
   * @returns the account, or null when it may not sign in
   * @throws AppError RATE_LIMITED when too many passwords wait to be hashed
   */
  signIn: (ctx: Ctx, given: { email: string; password: string }): Promise<SignedInAccount | null> =>
    signIn(store, ctx, given),
  /**
   * Judges the code that follows a right password. Failures count into the lock of the account (Z25), and only this step
   * forgets those before it.
   *
   * @param accountId of the account that `signIn` or a link admitted
   */
  proveSecondFactor: (ctx: Ctx, accountId: string, proof: Proof): Promise<boolean> =>
    proveCode(store, ctx, accountId, proof, store.noteSignIn),
  /** Whether a code is right, of an account that is signed in already. Failures count as those of a sign-in. */
  proveCode: (ctx: Ctx, accountId: string, proof: Proof): Promise<boolean> =>
    proveCode(store, ctx, accountId, proof, async () => undefined),
  /**
   * Whether a password is the one of an account that is signed in: before what only its owner may do (sudo). Failures
   * count as those of a sign-in.
   *
   * @throws AppError RATE_LIMITED when too many passwords wait to be hashed
   */
  provePassword: (ctx: Ctx, accountId: string, password: string): Promise<boolean> =>
    provePassword(store, ctx, accountId, password),
  /**
   * Admits whoever has a right password, or a link in place of it, as far as there is no second factor to prove.
   *
   * @param ctx of the transaction that holds the account
   */
  admitted: (ctx: Ctx, account: A): Promise<SignedInAccount> => admitted(store, ctx, account),
  /** Admits whoever has just made the account: nothing has to be proven again. */
  admitNew: (ctx: Ctx, accountId: string): Promise<SignedInAccount | null> =>
    ctx.tx(async (ctx) => {
      const account = await store.lock(ctx, accountId);
      return account ? admitted(store, ctx, account) : null;
    }),
});

async function signIn<A extends Account>(
  store: AccountStore<A>,
  ctx: Ctx,
  { email, password }: { email: string; password: string },
): Promise<SignedInAccount | null> {
  const found = await store.findByEmail(ctx, email);
  // Nobody has such a password, and hashing what anybody sends must stay cheap.
  if ([...password].length > MAX_PASSWORD_LENGTH) return null;
  const isRight = await verifyPassword(ctx, password, found?.passwordHash ?? null);
  if (!found || !mayTry(store, ctx, found)) return null;
  if (!isRight) {
    noteFailure(store, ctx, found.id);
    return null;
  }
  store.requireAdmitted?.(ctx, found);
  return admit(store, ctx, found, isOutdated(found.passwordHash) ? await hashPassword(ctx, password) : null);
}

async function proveCode<A extends Account>(
  store: AccountStore<A>,
  ctx: Ctx,
  accountId: string,
  proof: Proof,
  note: AccountStore<A>['noteSignIn'],
): Promise<boolean> {
  const isRight = await ctx.tx(async (ctx) => {
    const account = await store.lock(ctx, accountId);
    if (!account || !mayTry(store, ctx, account) || !(await prove(ctx, accountId, proof))) return false;
    await note(ctx, account);
    return true;
  });
  // In a transaction of its own: what was refused is counted all the same.
  if (!isRight) await ctx.tx((ctx) => countFailure(store, ctx, accountId));
  return isRight;
}

async function provePassword<A extends Account>(
  store: AccountStore<A>,
  ctx: Ctx,
  accountId: string,
  password: string,
): Promise<boolean> {
  const found = await store.find(ctx, accountId);
  if ([...password].length > MAX_PASSWORD_LENGTH) return false;
  const isRight = await verifyPassword(ctx, password, found?.passwordHash ?? null);
  if (!found || !mayTry(store, ctx, found)) return false;
  if (!isRight) await ctx.tx((ctx) => countFailure(store, ctx, accountId));
  return isRight;
}

type Candidate<A extends Account> = A & { readonly passwordHash: string };

const mayTry = <A extends Account>(store: AccountStore<A>, ctx: Ctx, found: A): found is Candidate<A> =>
  found.passwordHash !== null &&
  store.isOpen(found) &&
  (found.lockedUntil === null || found.lockedUntil <= ctx.now());

/** What was judged may have changed meanwhile: a disabled account or another password is refused under the lock. */
async function admit<A extends Account>(
  store: AccountStore<A>,
  ctx: Ctx,
  found: Candidate<A>,
  newHash: string | null,
): Promise<SignedInAccount | null> {
  return ctx.tx(async (ctx) => {
    const now = await store.lock(ctx, found.id);
    if (!now || now.passwordHash !== found.passwordHash || !mayTry(store, ctx, now)) return null;
    store.requireAdmitted?.(ctx, now);
    if (newHash !== null) await store.replaceHash(ctx, now.id, newHash);
    return admitted(store, ctx, now);
  });
}

async function admitted<A extends Account>(
  store: AccountStore<A>,
  ctx: Ctx,
  account: A,
): Promise<SignedInAccount> {
  const { id, email, generation } = account;
  const needsSecondFactor = (await stateOf(ctx, id)).enabled;
  if (!needsSecondFactor) await store.noteSignIn(ctx, account);
  return { id, email, generation, needsSecondFactor };
}

/**
 * After the answer, which would otherwise take longer for an account that there is. A locked account counts no more, so
 * what strangers can write is bounded.
 */
function noteFailure<A extends Account>(store: AccountStore<A>, ctx: Ctx, id: string): void {
  nextTurn()
    .then(() => ctx.tx((ctx) => countFailure(store, ctx, id)))
    .catch((error: unknown) =>
      ctx.log.error({ err: error, account: id }, 'a failed sign-in was not counted'),
    );
}

async function countFailure<A extends Account>(store: AccountStore<A>, ctx: Ctx, id: string): Promise<void> {
  const failures = await store.countFailure(ctx, id);
  if (failures === null) return;
  const isLocked = failures >= MOST_FAILURES;
  if (isLocked) await store.lockOut(ctx, id, addSeconds(ctx.now(), LOCKED_SECONDS));
  await store.tellFailure(ctx, id, { failures, isLocked });
}
