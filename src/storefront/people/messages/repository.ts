import type { Ctx } from '#kernel/context.ts';
import { type Message, messageRecord } from './record.ts';

const TABLE = messageRecord.table;

export async function insertMessage({ db }: Ctx, message: Message): Promise<void> {
  await db.knex(TABLE).insert(messageRecord.write(message));
}

/** The message, locked until the end of the transaction; null when unknown. */
export async function lockMessage({ db }: Ctx, id: string): Promise<Message | null> {
  const row: object | undefined = await db.knex(TABLE).where({ id }).forUpdate().first();
  return row ? messageRecord.read(row) : null;
}

export async function updateMessage({ db }: Ctx, message: Message): Promise<void> {
  await db.knex(TABLE).where({ id: message.id }).update(messageRecord.write(message));
}

export async function deleteMessage({ db }: Ctx, id: string): Promise<void> {
  await db.knex(TABLE).where({ id }).delete();
}
