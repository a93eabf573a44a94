import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';
import type { Ends } from './lifetime.ts';

/** A session with the account that signed in, as both are now: one row for each role of the account. */
export interface SessionRow {
  kind: 'guest' | 'user';
  admin_user_id: string | null;
  admin_generation: number | null;
  customer_id: string | null;
  two_factor_pending: unknown;
  data: string;
  created_at: string;
  last_seen_at: string;
  email: string | null;
  status: string | null;
  session_generation: number | null;
  role: string | null;
}

const byDigest = statement<{ digest: string }, SessionRow>((q, p) =>
  q('sessions as s')
    .leftJoin('admin_users as u', 'u.id', 's.admin_user_id')
    .leftJoin('admin_user_roles as a', 'a.admin_user_id', 'u.id')
    .leftJoin('roles as r', 'r.id', 'a.role_id')
    .where('s.token_hash', p('digest'))
    .select(
      's.kind',
      's.admin_user_id',
      's.admin_generation',
      's.customer_id',
      's.two_factor_pending',
      's.data',
      's.created_at',
      's.last_seen_at',
      'u.email',
      'u.status',
      'u.session_generation',
      'r.name as role',
    ),
);

/** The rows of one session; none when there is no such session. */
export const find = (ctx: Ctx, digest: string): Promise<SessionRow[]> => byDigest.all(ctx.db, { digest });

/** What a request may change of a session. */
export interface SessionColumns {
  admin_user_id: string | null;
  admin_generation: number | null;
  customer_id: string | null;
  two_factor_pending: boolean;
  data: string;
}

export interface NewSessionRow extends SessionColumns {
  id: string;
  token_hash: string;
  kind: 'guest' | 'user';
  ip: string | null;
  user_agent: string | null;
  last_seen_at: string;
  created_at: string;
}

/** Makes the row; where another request of the same browser made it first, writes what this one holds. */
export async function insert(ctx: Ctx, row: NewSessionRow): Promise<void> {
  await ctx.db
    .knex('sessions')
    .insert(row)
    .onConflict('token_hash')
    .merge(['admin_user_id', 'admin_generation', 'customer_id', 'two_factor_pending', 'data']);
}

/** Writes nothing where the session has ended. */
export async function update(ctx: Ctx, digest: string, columns: SessionColumns): Promise<void> {
  await ctx.db.knex('sessions').where({ token_hash: digest }).update(columns);
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

/** Deletes sessions that have ended, of accounts that ended them too. @returns how many; at most `limit` */
export async function removeEnded(
  ctx: Ctx,
  { createdUntil, idleSince }: Ends,
  limit: number,
): Promise<number> {
  const { knex } = ctx.db;
  const ended = knex('sessions as s')
    .leftJoin('admin_users as u', 'u.id', 's.admin_user_id')
    .where('s.created_at', '<=', createdUntil)
    .orWhere((idle) => idle.where('s.kind', 'user').andWhere('s.last_seen_at', '<=', idleSince))
    .orWhereRaw('s.admin_generation <> u.session_generation')
    .limit(limit)
    .select('s.id');
  return knex('sessions').whereIn('id', ended).delete();
}
