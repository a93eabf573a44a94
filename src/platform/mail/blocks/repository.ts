import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';
import { type Block, blockRecord, mailboxOf } from './record.ts';

const TABLE = blockRecord.table;

const byMailbox = statement<{ address_norm: string }, Record<string, unknown>>((q, p) =>
  q(TABLE)
    .where({ address_norm: p('address_norm') })
    .select('*'),
);

/** Why nothing is sent to an address; null where something is. */
export async function findBlock({ db }: Ctx, address: string): Promise<Block | null> {
  const row = await byMailbox.first(db, { address_norm: mailboxOf(address) });
  return row ? blockRecord.read(row) : null;
}

/** @returns false when it is blocked already */
export async function insertBlock({ db }: Ctx, block: Block): Promise<boolean> {
  const added: unknown[] = await db
    .knex(TABLE)
    .insert(blockRecord.write(block))
    .onConflict('address_norm')
    .ignore()
    .returning('id');
  return added.length === 1;
}

export async function lockBlock({ db }: Ctx, id: string): Promise<Block | null> {
  const row: object | undefined = await db.knex(TABLE).where({ id }).forUpdate().first();
  return row ? blockRecord.read(row) : null;
}

export async function deleteBlock({ db }: Ctx, id: string): Promise<void> {
  await db.knex(TABLE).where({ id }).delete();
}
