import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';
import { idempotencyKeyRecord } from './record.ts';

const TABLE = idempotencyKeyRecord.table;

/** What names a row. */
export interface Named {
  readonly scope: string;
  readonly key: string;
}

export interface Stored {
  readonly requestHash: string;
  /** Sealed; null until the work has ended. */
  readonly answer: string | null;
}

type Key = { tenant_id: string; scope: string; key: string };
const KEY = ['tenant_id', 'scope', 'key'] as const;
const keyOf = ({ tenantId }: Ctx, { scope, key }: Named): Key => ({ tenant_id: tenantId, scope, key });

const insertNew = statement<Key & { request_hash: string; created_at: string }>((q, p) =>
  q(TABLE)
    .insert(p.row(...KEY, 'request_hash', 'created_at'))
    .onConflict([...KEY])
    .ignore(),
);
const byKey = statement<Key, { request_hash: string; answer: string | null; created_at: string }>((q, p) =>
  q(TABLE)
    .where(p.row(...KEY))
    .select('request_hash', 'answer', 'created_at'),
);
const setAnswer = statement<Key & { answer: string }>((q, p) =>
  q(TABLE)
    .where(p.row(...KEY))
    .update({ answer: p('answer') }),
);
const removeOne = statement<Key>((q, p) =>
  q(TABLE)
    .where(p.row(...KEY))
    .delete(),
);
const removeOld = statement<Key & { before: string }>((q, p) =>
  q(TABLE)
    .where(p.row(...KEY))
    .where('created_at', '<', p('before'))
    .delete(),
);

/**
 * Takes a key for the transaction that it is called in. On Postgres it waits for a rival's transaction (M5).
 *
 * @param before an ISO time: what was taken earlier is over
 * @returns false when somebody has it
 */
export async function take(ctx: Ctx, named: Named, requestHash: string, before: string): Promise<boolean> {
  const key = keyOf(ctx, named);
  const row = { ...key, request_hash: requestHash, created_at: ctx.now() };
  if ((await insertNew.run(ctx.db, row)) === 1) return true;
  if ((await removeOld.run(ctx.db, { ...key, before })) === 0) return false;
  return (await insertNew.run(ctx.db, row)) === 1;
}

/** The request that was sent with a key since an ISO time, or null. */
export async function find(ctx: Ctx, named: Named, since: string): Promise<Stored | null> {
  const row = await byKey.first(ctx.db, keyOf(ctx, named));
  if (!row || row.created_at < since) return null;
  return { requestHash: row.request_hash, answer: row.answer };
}

export async function keepAnswer(ctx: Ctx, named: Named, answer: string): Promise<void> {
  await setAnswer.run(ctx.db, { ...keyOf(ctx, named), answer });
}

/** Frees a key whose request was refused. */
export async function free(ctx: Ctx, named: Named): Promise<void> {
  await removeOne.run(ctx.db, keyOf(ctx, named));
}
