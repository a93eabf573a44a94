import type { Ctx } from '#kernel/context.ts';
import { lockName } from '#kernel/db/named-lock.ts';
import { type Alert, alertRecord, alertServerRecord } from './record.ts';

const TABLE = alertRecord.table;

/** Lets one process at a time compare what is open with what is wrong. @param ctx of a transaction */
export const lock = ({ db }: Ctx): Promise<void> => lockName(db, TABLE);

/** Alerts that are open, the oldest first. */
export async function listOpen({ db }: Ctx): Promise<Alert[]> {
  const rows: object[] = await db.knex(TABLE).whereNull('ended_at').orderBy(['created_at', 'id']);
  return rows.map((row) => alertRecord.read(row));
}

export async function find({ db }: Ctx, id: string): Promise<Alert | null> {
  const row: object | undefined = await db.knex(TABLE).where({ id }).first();
  return row ? alertRecord.read(row) : null;
}

/** Opens an alert. @returns false when another process has opened it */
export async function open({ db }: Ctx, alert: Alert): Promise<boolean> {
  const made: object[] = await db
    .knex(TABLE)
    .insert(alertRecord.write(alert))
    .onConflict(db.knex.raw('(key) WHERE ended_at IS NULL') as never)
    .ignore()
    .returning('id');
  return made.length > 0;
}

/** Changes an alert that is open. @returns false when another process has ended it */
export async function change({ db }: Ctx, id: string, values: Partial<Alert>): Promise<boolean> {
  const count = await db.knex(TABLE).where({ id }).whereNull('ended_at').update(alertRecord.part(values));
  return count > 0;
}

const SERVERS = alertServerRecord.table;

/** Notes that a server is there. */
export async function hear(ctx: Ctx, name: string): Promise<void> {
  const now = ctx.now();
  const row = alertServerRecord.write({ name, heardAt: now, createdAt: now });
  await ctx.db.knex(SERVERS).insert(row).onConflict('name').merge(['heard_at']);
}

/** When servers were heard of last, by their names. */
export async function heardAt({ db }: Ctx): Promise<ReadonlyMap<string, string>> {
  const rows: object[] = await db.knex(SERVERS);
  return new Map(rows.map((row) => alertServerRecord.read(row)).map((one) => [one.name, one.heardAt]));
}
