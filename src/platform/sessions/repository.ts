import type { Ctx } from '#kernel/context.ts';
import type { Database } from '#kernel/db/database.ts';
import type { ValuesOf } from '#kernel/db/record.ts';
import { listTables } from '#kernel/db/schema.ts';
import { statement } from '#kernel/db/statement.ts';
import { type HeldRow, heldColumns } from '../roles/index.ts';
import type { Ends } from './lifetime.ts';
import { sessionRecord } from './record.ts';

/** A session with the account that signed in and what it holds, as all of them are now. */
export interface SessionRow extends HeldRow {
  id: string;
  kind: 'guest' | 'user';
  admin_user_id: string | null;
  admin_generation: number | null;
  customer_id: string | null;
  customer_generation: number | null;
  customer_pending: unknown;
  is_remembered: unknown;
  customer_status: string | null;
  customer_now: number | null;
  two_factor_pending: unknown;
  kept_until: string | null;
  data: string;
  created_at: string;
  last_seen_at: string;
  email: string | null;
  status: string | null;
  session_generation: number | null;
  must_change_password: unknown;
  second_factor_since: string | null;
}

const byDigest = statement<{ digest: string }, SessionRow>((q, p) =>
  q('sessions as s')
    .leftJoin('admin_users as u', 'u.id', 's.admin_user_id')
    .leftJoin('second_factors as f', 'f.subject_id', 's.admin_user_id')
    .leftJoin('customers as c', 'c.id', 's.customer_id')
    .where('s.token_hash', p('digest'))
    .select(
      's.id',
      's.kind',
      's.admin_user_id',
      's.admin_generation',
      's.customer_id',
      's.customer_generation',
      's.customer_pending',
      's.is_remembered',
      'c.status as customer_status',
      'c.session_generation as customer_now',
      's.two_factor_pending',
      's.kept_until',
      's.data',
      's.created_at',
      's.last_seen_at',
      'u.email',
      'u.status',
      'u.session_generation',
      'u.must_change_password',
      'f.enabled_at as second_factor_since',
      ...heldColumns(q, 'u.id'),
    ),
);

const viewed = statement<{ id: string }, HeldRow & { id: string; email: string }>((q, p) =>
  q('admin_users as u')
    .where('u.id', p('id'))
    .andWhere('u.status', 'active')
    .select('u.id', 'u.email', ...heldColumns(q, 'u.id')),
);

/** An account with what it holds, for whoever looks as it does; undefined once it may not sign in. */
export const findViewed = (
  ctx: Ctx,
  id: string,
): Promise<(HeldRow & { id: string; email: string }) | undefined> => viewed.first(ctx.db, { id });

export const find = (ctx: Ctx, digest: string): Promise<SessionRow | undefined> =>
  byDigest.first(ctx.db, { digest });

/** What a request may change of a session. */
export type SessionPart = Pick<
  ValuesOf<typeof sessionRecord>,
  | 'adminUserId'
  | 'adminGeneration'
  | 'customerId'
  | 'customerGeneration'
  | 'customerPending'
  | 'isRemembered'
  | 'twoFactorPending'
  | 'keptUntil'
  | 'data'
>;

const changeable = [
  'admin_user_id',
  'admin_generation',
  'customer_id',
  'customer_generation',
  'customer_pending',
  'is_remembered',
  'two_factor_pending',
  'kept_until',
  'data',
];
const added = statement<Record<string, unknown>>((q, p) =>
  q('sessions')
    .insert(p.row(...sessionRecord.written, 'token_hash'))
    .onConflict('token_hash')
    .merge(p.row(...changeable)),
);

/** Makes the row; where another request of the same browser made it first, writes what this one holds. */
export async function insert(
  ctx: Ctx,
  session: ValuesOf<typeof sessionRecord>,
  tokenHash: string,
): Promise<void> {
  await added.run(ctx.db, sessionRecord.write(session, { tokenHash }));
}

/** Writes nothing where the session has ended. */
export async function update(ctx: Ctx, tokenHash: string, part: SessionPart): Promise<void> {
  await ctx.db.knex('sessions').where({ token_hash: tokenHash }).update(sessionRecord.part(part));
}

export async function remove(ctx: Ctx, digest: string): Promise<void> {
  await ctx.db.knex('sessions').where({ token_hash: digest }).delete();
}

const touched = statement<{ digest: string; now: string; before: string }>((q, p) =>
  q('sessions')
    .where('token_hash', p('digest'))
    .andWhere('last_seen_at', '<=', p('before'))
    .update({ last_seen_at: p('now') }),
);

/** Writes `last_seen_at` unless it is later than `before`. */
export const touch = (ctx: Ctx, params: { digest: string; now: string; before: string }): Promise<number> =>
  touched.run(ctx.db, params);

/** Sessions of staff who signed in, second factor included, and that have not ended. */
export async function countSignedIn(ctx: Ctx, { createdUntil, idleSince }: Ends): Promise<number> {
  const [counted] = await ctx.db
    .knex('sessions as s')
    .join('admin_users as u', 'u.id', 's.admin_user_id')
    .where('s.last_seen_at', '>', idleSince)
    .where('s.created_at', '>', createdUntil)
    .where({ 's.two_factor_pending': false, 'u.status': 'active' })
    .whereRaw('s.admin_generation = u.session_generation')
    .count({ n: '*' });
  return Number(counted?.n ?? 0);
}

/** Deletes sessions that have ended, of accounts that ended them too. @returns how many; at most `limit` */
export async function removeEnded(
  ctx: Ctx,
  { now, createdUntil, idleSince }: Ends,
  limit: number,
): Promise<number> {
  const { knex } = ctx.db;
  const ended = knex('sessions as s')
    .leftJoin('admin_users as u', 'u.id', 's.admin_user_id')
    .leftJoin('customers as c', 'c.id', 's.customer_id')
    .where((old) =>
      old
        .where('s.created_at', '<=', createdUntil)
        .andWhere((kept) =>
          kept.whereNot('s.kind', 'guest').orWhereNull('s.kept_until').orWhere('s.kept_until', '<=', now),
        ),
    )
    .orWhere((idle) =>
      idle
        .where('s.kind', 'user')
        .andWhere('s.is_remembered', false)
        .andWhere('s.last_seen_at', '<=', idleSince),
    )
    .orWhereRaw('s.admin_generation <> u.session_generation')
    .orWhereRaw('s.customer_generation <> c.session_generation AND s.admin_user_id IS NULL')
    .limit(limit)
    .select('s.id');
  return knex('sessions').whereIn('id', ended).delete();
}

/** Sessions of an account that have not ended, those that were seen last first. */
export async function listOf(ctx: Ctx, account: Holder, ends: Ends): Promise<ListedSession[]> {
  const rows: object[] = await openOf(ctx, account)
    .where('s.created_at', '>', ends.createdUntil)
    .andWhere((busy) => busy.where('s.last_seen_at', '>', ends.idleSince).orWhere('s.is_remembered', true))
    .orderBy('s.last_seen_at', 'desc')
    .orderBy('s.id')
    .limit(MOST_LISTED)
    .select('s.*');
  return rows.map((row) => sessionRecord.read(row));
}

/** More than anybody reads; an account has as many sessions as it signs in. */
const MOST_LISTED = 200;

export type ListedSession = ValuesOf<typeof sessionRecord>;

/** Whose sessions are meant. */
export interface Holder {
  readonly kind: 'staff' | 'customer';
  readonly id: string;
}

const HOLDERS = {
  staff: {
    table: 'admin_users',
    column: 'admin_user_id',
    isPresent: 's.admin_generation = u.session_generation',
  },
  customer: {
    table: 'customers',
    column: 'customer_id',
    isPresent: 's.customer_generation = u.session_generation',
  },
} as const;

/** Of its present generation: those of another one open nothing. */
function openOf(ctx: Ctx, { kind, id }: Holder) {
  const { table, column, isPresent } = HOLDERS[kind];
  return ctx.db
    .knex('sessions as s')
    .join(`${table} as u`, 'u.id', `s.${column}`)
    .where(`s.${column}`, id)
    .whereRaw(isPresent);
}

/** @returns whether the account had it */
export async function removeOf(ctx: Ctx, account: Holder, id: string): Promise<boolean> {
  const { column } = HOLDERS[account.kind];
  return (
    (await ctx.db
      .knex('sessions')
      .where({ [column]: account.id, id })
      .delete()) === 1
  );
}

/** @param exceptId of the one that stays; null: none does. @returns how many were open */
export async function removeAllOf(ctx: Ctx, account: Holder, exceptId: string | null): Promise<number> {
  const [open] = await openOf(ctx, account)
    .andWhereNot('s.id', exceptId ?? '')
    .count({ n: '*' });
  await ctx.db
    .knex('sessions')
    .where({ [HOLDERS[account.kind].column]: account.id })
    .andWhereNot('id', exceptId ?? '')
    .delete();
  return Number(open?.n ?? 0);
}

/** Ends every session of a database that nobody serves, whatever its schema. */
export async function endAll(database: Database): Promise<void> {
  if (!(await listTables(database.db)).includes('sessions')) return;
  await database.transaction(async (db) => {
    await db.knex('sessions').delete();
  });
}
