import type { Ctx } from '#kernel/context.ts';
import type { ValuesOf } from '#kernel/db/record.ts';
import { oneTimeTokenRecord } from './record.ts';

const TABLE = oneTimeTokenRecord.table;

type Token = ValuesOf<typeof oneTimeTokenRecord>;

export async function insert(ctx: Ctx, token: Token, tokenHash: string): Promise<void> {
  await ctx.db.knex(TABLE).insert(oneTimeTokenRecord.write(token, { tokenHash }));
}

const open = (ctx: Ctx, where: object) =>
  ctx.db
    .knex(TABLE)
    .where(where)
    .whereNull('used_at')
    .whereNull('revoked_at')
    .andWhere('expires_at', '>', ctx.now());

/** A token that may still be used, or null. */
export async function findOpen(ctx: Ctx, purpose: string, tokenHash: string): Promise<Token | null> {
  const row: object | undefined = await open(ctx, { purpose, token_hash: tokenHash }).first();
  return row ? oneTimeTokenRecord.read(row) : null;
}

/** A token whatever became of it, or null. */
export async function find(ctx: Ctx, purpose: string, tokenHash: string): Promise<Token | null> {
  const row: object | undefined = await ctx.db.knex(TABLE).where({ purpose, token_hash: tokenHash }).first();
  return row ? oneTimeTokenRecord.read(row) : null;
}

/** Whether there is a token that ended by its time alone. */
export async function wasIssued(ctx: Ctx, purpose: string, tokenHash: string): Promise<boolean> {
  const row: object | undefined = await ctx.db
    .knex(TABLE)
    .where({ purpose, token_hash: tokenHash })
    .whereNull('used_at')
    .whereNull('revoked_at')
    .andWhere('expires_at', '<=', ctx.now())
    .first('id');
  return row !== undefined;
}

/** Uses a token up: one UPDATE, so that of two at once one has it (M14). @returns false when it was not open */
export async function take(ctx: Ctx, purpose: string, tokenHash: string): Promise<boolean> {
  return (await open(ctx, { purpose, token_hash: tokenHash }).update({ used_at: ctx.now() })) === 1;
}

/** Ends what is still open of a subject. */
export async function revoke(ctx: Ctx, purpose: string, subjectId: string): Promise<void> {
  await open(ctx, { purpose, subject_id: subjectId }).update({ revoked_at: ctx.now() });
}

/** Deletes tokens that ended before an ISO time. @returns how many; at most `limit` */
export function removeEnded(ctx: Ctx, before: string, limit: number): Promise<number> {
  const { knex } = ctx.db;
  const ended = knex(TABLE).where('expires_at', '<=', before).limit(limit).select('id');
  return knex(TABLE).whereIn('id', ended).delete();
}
