import type { Ctx } from '#kernel/context.ts';
import { isUniqueViolation } from '#kernel/db/dialect.ts';
import type { PartOf } from '#kernel/db/record.ts';
import { statement } from '#kernel/db/statement.ts';
import { give } from '../roles/index.ts';
import { type AdminUser, adminUserRecord } from './record.ts';

/** The account that `setup` made, or null. */
export async function findOwner(ctx: Ctx): Promise<AdminUser | null> {
  const row: object | undefined = await ctx.db.knex('admin_users').where({ founder: true }).first();
  return row ? adminUserRecord.read(row) : null;
}

/** Inserts the owner; answers false when another setup was first. */
export async function insertOwner(ctx: Ctx, user: AdminUser, passwordHash: string): Promise<boolean> {
  if (!(await insert(ctx, user, { passwordHash, founder: true }))) return false;
  await give(ctx, user.id, ['owner']);
  return true;
}

/** Inserts an account; answers false when there is one with its address, or another founder. */
export async function insert(
  ctx: Ctx,
  user: AdminUser,
  beside: { passwordHash: string | null; founder?: boolean; mustChangePassword?: boolean },
): Promise<boolean> {
  try {
    const row = adminUserRecord.write(user, { ...beside, updatedAt: user.createdAt });
    await ctx.db.knex('admin_users').insert(row);
    return true;
  } catch (error) {
    if (isUniqueViolation(error)) return false;
    throw error;
  }
}

/** Replaces the owner's address, name and password; whoever is signed in has to sign in again. */
export async function replaceOwner(ctx: Ctx, owner: AdminUser, passwordHash: string): Promise<void> {
  const { knex } = ctx.db;
  const beside = {
    passwordHash,
    failedSignIns: 0,
    lockedUntil: null,
    mustChangePassword: false,
    updatedAt: ctx.now(),
  };
  await knex('admin_users')
    .where({ id: owner.id })
    .update({
      ...adminUserRecord.write(owner, beside),
      session_generation: knex.raw('session_generation + 1'),
    });
}

/** What signing in looks at. */
export interface SignInRow {
  id: string;
  email: string;
  emailNorm: string;
  name: string;
  passwordHash: string | null;
  status: string;
  generation: number;
  lockedUntil: string | null;
}

const signInColumns = [
  'id',
  'email',
  'email_norm as emailNorm',
  'name',
  'password_hash as passwordHash',
  'status',
  'session_generation as generation',
  'locked_until as lockedUntil',
] as const;

const byEmail = statement<{ emailNorm: string }, SignInRow>((q, p) =>
  q('admin_users').where('email_norm', p('emailNorm')).select(signInColumns),
);

export const findByEmail = (ctx: Ctx, emailNorm: string): Promise<SignInRow | undefined> =>
  byEmail.first(ctx.db, { emailNorm });

/** Active accounts that were made until a time and have a password, the oldest first. */
export async function listWithPassword(
  { db }: Ctx,
  until: string,
  limit: number,
): Promise<{ email: string; passwordHash: string }[]> {
  return db
    .knex('admin_users')
    .where({ status: 'active' })
    .whereNotNull('password_hash')
    .andWhere('created_at', '<=', until)
    .orderBy(['created_at', 'id'])
    .limit(limit)
    .select('email', 'password_hash as passwordHash');
}

const held = statement<{ id: string }>((q, p) =>
  q('admin_users').where('id', p('id')).select('id').forUpdate(),
);
const byId = statement<{ id: string }, SignInRow>((q, p) =>
  q('admin_users').where('id', p('id')).select(signInColumns),
);

/** Locks an account and reads it as it is then. */
export async function lockForSignIn(ctx: Ctx, id: string): Promise<SignInRow | undefined> {
  await held.lock(ctx.db, { id });
  return byId.first(ctx.db, { id });
}

export const findForSignIn = (ctx: Ctx, id: string): Promise<SignInRow | undefined> =>
  byId.first(ctx.db, { id });

/** Keeps the same password under another hash. */
export async function replaceHash(ctx: Ctx, id: string, passwordHash: string): Promise<void> {
  await ctx.db.knex('admin_users').where({ id }).update({ password_hash: passwordHash });
}

/** What changes with a password: sessions that were begun with another one end. */
export interface NewPassword {
  readonly passwordHash: string;
  readonly mustChangePassword: boolean;
}

/** Gives an account a password; whoever was locked out may try again. */
export async function setPassword(ctx: Ctx, id: string, given: NewPassword): Promise<void> {
  const { knex } = ctx.db;
  const columns = adminUserRecord.part({
    ...given,
    failedSignIns: 0,
    lockedUntil: null,
    updatedAt: ctx.now(),
  });
  await knex('admin_users')
    .where({ id })
    .update({ ...columns, session_generation: knex.raw('session_generation + 1') });
}

/** Writes the name, the address and the zone of an account; answers false when another one has the address. */
export async function rename(ctx: Ctx, user: AdminUser, timezone: string | null): Promise<boolean> {
  try {
    await ctx.db
      .knex('admin_users')
      .where({ id: user.id })
      .update(adminUserRecord.write(user, { timezone, updatedAt: ctx.now() }));
    return true;
  } catch (error) {
    if (isUniqueViolation(error)) return false;
    throw error;
  }
}

/** Writes other columns of an account. */
export async function change(ctx: Ctx, id: string, columns: PartOf<typeof adminUserRecord>): Promise<void> {
  const row = adminUserRecord.part({ ...columns, updatedAt: ctx.now() });
  await ctx.db.knex('admin_users').where({ id }).update(row);
}

/** Ends the sessions that an account has, those among them that are being begun. */
export async function raiseGeneration(ctx: Ctx, id: string): Promise<void> {
  const { knex } = ctx.db;
  await knex('admin_users')
    .where({ id })
    .update({ session_generation: knex.raw('session_generation + 1') });
}

/** Notes that somebody signed in, and forgets the failures before it. */
export async function noteSignIn(ctx: Ctx, id: string): Promise<void> {
  const now = ctx.now();
  await ctx.db.knex('admin_users').where({ id }).update({
    last_login_at: now,
    failed_sign_ins: 0,
    locked_until: null,
    updated_at: now,
  });
}

/** Counts a failure of an account that is not locked. @returns how many there are now; null when it is locked */
export async function countFailure(ctx: Ctx, id: string): Promise<number | null> {
  const { knex } = ctx.db;
  const now = ctx.now();
  const [row] = await knex('admin_users')
    .where({ id })
    .andWhere((open) => open.whereNull('locked_until').orWhere('locked_until', '<=', now))
    .update({ failed_sign_ins: knex.raw('failed_sign_ins + 1') }, ['failed_sign_ins']);
  return row ? Number(row.failed_sign_ins) : null;
}

/** Locks an account until an ISO time; its failures are counted anew after that. */
export async function lockAccount(ctx: Ctx, id: string, until: string): Promise<void> {
  await ctx.db.knex('admin_users').where({ id }).update({ locked_until: until, failed_sign_ins: 0 });
}
