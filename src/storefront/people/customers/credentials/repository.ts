import type { Ctx } from '#kernel/context.ts';
import type { PartOf } from '#kernel/db/record.ts';
import { statement } from '#kernel/db/statement.ts';
import { emailNormed, shopCustomerRecord } from '../record.ts';

const TABLE = shopCustomerRecord.table;

/** What signing in looks at. */
export interface AccountRow {
  id: string;
  email: string;
  firstName: string | null;
  lastName: string | null;
  locale: string | null;
  passwordHash: string | null;
  status: string;
  generation: number;
  lockedUntil: string | null;
  emailVerifiedAt: string | null;
}

const columns = [
  'id',
  'email',
  'first_name as firstName',
  'last_name as lastName',
  'locale',
  'password_hash as passwordHash',
  'status',
  'session_generation as generation',
  'locked_until as lockedUntil',
  'email_verified_at as emailVerifiedAt',
] as const;

const byEmail = statement<{ emailNorm: string }, AccountRow>((q, p) =>
  q(TABLE)
    .where('email_norm', p('emailNorm'))
    .whereRaw('is_guest = FALSE')
    .whereNot('status', 'anonymised')
    .select(columns),
);
/** The account of an address, in whatever state; guests have none. */
export const findByEmail = ({ db }: Ctx, email: string): Promise<AccountRow | undefined> =>
  byEmail.first(db, { emailNorm: emailNormed(email) });

const held = statement<{ id: string }>((q, p) => q(TABLE).where('id', p('id')).select('id').forUpdate());
const byId = statement<{ id: string }, AccountRow>((q, p) =>
  q(TABLE).where('id', p('id')).whereRaw('is_guest = FALSE').whereNot('status', 'anonymised').select(columns),
);

/** Locks an account and reads it as it is then. */
export async function lock(ctx: Ctx, id: string): Promise<AccountRow | undefined> {
  await held.lock(ctx.db, { id });
  return byId.first(ctx.db, { id });
}

export const find = ({ db }: Ctx, id: string): Promise<AccountRow | undefined> => byId.first(db, { id });

/** Writes columns of an account that is held. */
export async function change(ctx: Ctx, id: string, part: PartOf<typeof shopCustomerRecord>): Promise<void> {
  const row = shopCustomerRecord.part({ ...part, updatedAt: ctx.now() });
  await ctx.db.knex(TABLE).where({ id }).update(row);
}

/** Gives an account a password: its sessions end, and whoever was locked out may try again. */
export async function setPassword(ctx: Ctx, id: string, passwordHash: string): Promise<void> {
  await change(ctx, id, { passwordHash, failedLogins: 0, lockedUntil: null });
  await raiseGeneration(ctx, id);
}

/** Takes away a password that somebody set who may not be the owner of the address. */
export const dropPassword = (ctx: Ctx, id: string): Promise<void> => change(ctx, id, { passwordHash: null });

/** Ends the sessions that an account has, those among them that are being begun. */
export async function raiseGeneration({ db }: Ctx, id: string): Promise<void> {
  const { knex } = db;
  await knex(TABLE)
    .where({ id })
    .update({ session_generation: knex.raw('session_generation + 1') });
}

/** Keeps the same password under another hash. */
export const replaceHash = (ctx: Ctx, id: string, passwordHash: string): Promise<void> =>
  change(ctx, id, { passwordHash });

const signedIn = statement<{ id: string; now: string }>((q, p) =>
  q(TABLE)
    .where('id', p('id'))
    .update({ last_login_at: p('now'), failed_logins: 0, locked_until: null }),
);
/** Notes that somebody signed in, and forgets the failures before it. */
export const noteSignIn = (ctx: Ctx, id: string): Promise<number> =>
  signedIn.run(ctx.db, { id, now: ctx.now() });

/** Counts a failure of an account that is not locked. @returns how many there are now; null when it is locked */
export async function countFailure(ctx: Ctx, id: string): Promise<number | null> {
  const { knex } = ctx.db;
  const [row] = await knex(TABLE)
    .where({ id })
    .andWhere((open) => open.whereNull('locked_until').orWhere('locked_until', '<=', ctx.now()))
    .update({ failed_logins: knex.raw('failed_logins + 1') }, ['failed_logins']);
  return row ? Number(row.failed_logins) : null;
}

/** Locks an account until an ISO time; its failures are counted anew after that. */
export async function lockOut({ db }: Ctx, id: string, until: string): Promise<void> {
  await db.knex(TABLE).where({ id }).update({ locked_until: until, failed_logins: 0 });
}
