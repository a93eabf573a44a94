import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';
import { type CustomerDevice, customerDeviceRecord } from './record.ts';

const TABLE = customerDeviceRecord.table;

const seen = statement<{ customerId: string; tokenHash: string; now: string }>((q, p) =>
  q(TABLE)
    .where({ customer_id: p('customerId'), token_hash: p('tokenHash') })
    .update({ updated_at: p('now') }),
);
/** Notes that a customer signed in once more in a browser. @returns false where it is not known */
export const touch = async (ctx: Ctx, customerId: string, tokenHash: string): Promise<boolean> =>
  (await seen.run(ctx.db, { customerId, tokenHash, now: ctx.now() })) === 1;

/** Keeps a browser under its new name, for everybody who has signed in there. */
export async function rename({ db }: Ctx, before: string, after: string): Promise<void> {
  await db.knex(TABLE).where({ token_hash: before }).update({ token_hash: after });
}

export async function insert({ db }: Ctx, one: CustomerDevice, tokenHash: string): Promise<void> {
  await db.knex(TABLE).insert(customerDeviceRecord.write(one, { tokenHash }));
}

/** How many browsers of a customer are known. */
export async function countOf({ db }: Ctx, customerId: string): Promise<number> {
  const [row] = await db.knex(TABLE).where({ customer_id: customerId }).count({ n: '*' });
  return Number(row?.n ?? 0);
}

/** Forgets the browsers of a customer but for those in which it signed in last. */
export async function removeBeyond({ db }: Ctx, customerId: string, most: number): Promise<void> {
  const last = db
    .knex(TABLE)
    .where({ customer_id: customerId })
    .orderBy([
      { column: 'updated_at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .limit(most)
    .select('id');
  await db.knex(TABLE).where({ customer_id: customerId }).whereNotIn('id', last).delete();
}

/** @returns how many were known */
export const removeOf = ({ db }: Ctx, customerId: string): Promise<number> =>
  db.knex(TABLE).where({ customer_id: customerId }).delete();
