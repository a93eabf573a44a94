import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';
import { type LicenseMint, licenseMintRecord } from './record.ts';

const TABLE = licenseMintRecord.table;

const ofOrder = statement<{ order: string }, object>((q, p) =>
  q(TABLE).where('order_id', p('order')).orderBy(['created_at', 'unit_no', 'id']).select('*'),
);

/** The licenses of an order, made and missing, in the order of their units. */
export async function mintsOf({ db }: Ctx, orderId: string): Promise<LicenseMint[]> {
  return (await ofOrder.all(db, { order: orderId })).map(licenseMintRecord.read);
}

const added = statement<Record<string, unknown>>((q, p) =>
  q(TABLE).insert(p.row(...licenseMintRecord.written)),
);

/** Stores the license of a unit; a unit that has one already is a fault. */
export const insertMint = ({ db }: Ctx, mint: LicenseMint): Promise<number> =>
  added.run(db, licenseMintRecord.write(mint));

const changed = statement<Record<string, unknown>>((q, p) =>
  q(TABLE)
    .where('id', p('id'))
    .update(p.row(...licenseMintRecord.written.filter((name) => name !== 'id' && name !== 'created_at'))),
);

/** Stores a row of an order that the transaction has locked. */
export const updateMint = ({ db }: Ctx, mint: LicenseMint): Promise<number> =>
  changed.run(db, licenseMintRecord.write(mint));

/** One row; null when unknown. */
export async function findMint({ db }: Ctx, id: string): Promise<LicenseMint | null> {
  const row: object | undefined = await db.knex(TABLE).where({ id }).first();
  return row === undefined ? null : licenseMintRecord.read(row);
}
