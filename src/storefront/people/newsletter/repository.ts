import type { Ctx } from '#kernel/context.ts';
import { normed, type Subscriber, subscriberRecord } from './record.ts';

const TABLE = subscriberRecord.table;

/** @returns false where the address has a row already, which stays */
export async function insertNew({ db }: Ctx, subscriber: Subscriber): Promise<boolean> {
  const row = subscriberRecord.write(subscriber);
  const inserted: object[] = await db
    .knex(TABLE)
    .insert(row)
    .onConflict('email_norm')
    .ignore()
    .returning('id');
  return inserted.length > 0;
}

/** The row of an address, locked until the end of the transaction. */
export async function lockByEmail({ db }: Ctx, email: string): Promise<Subscriber | null> {
  const row: object | undefined = await db
    .knex(TABLE)
    .where({ email_norm: normed(email) })
    .forUpdate()
    .first();
  return row ? subscriberRecord.read(row) : null;
}

/** As `lockByEmail`, by its id. */
export async function lockSubscriber({ db }: Ctx, id: string): Promise<Subscriber | null> {
  const row: object | undefined = await db.knex(TABLE).where({ id }).forUpdate().first();
  return row ? subscriberRecord.read(row) : null;
}

export async function updateSubscriber({ db }: Ctx, subscriber: Subscriber): Promise<void> {
  await db.knex(TABLE).where({ id: subscriber.id }).update(subscriberRecord.write(subscriber));
}

export async function deleteSubscriber({ db }: Ctx, id: string): Promise<void> {
  await db.knex(TABLE).where({ id }).delete();
}
