import type { Ctx } from '#kernel/context.ts';
import { type Schedule, scheduleRecord } from './record.ts';

const TABLE = scheduleRecord.table;

/** The schedule, locked until the end of the transaction; null when unknown. */
export async function lockSchedule({ db }: Ctx, id: string): Promise<Schedule | null> {
  const row: object | undefined = await db.knex(TABLE).where({ id }).forUpdate().first();
  return row ? scheduleRecord.read(row) : null;
}

export async function insertSchedule({ db }: Ctx, schedule: Schedule): Promise<void> {
  await db.knex(TABLE).insert(scheduleRecord.write(schedule));
}

export async function updateSchedule({ db }: Ctx, schedule: Schedule): Promise<void> {
  await db.knex(TABLE).where({ id: schedule.id }).update(scheduleRecord.write(schedule));
}

export async function deleteSchedule({ db }: Ctx, id: string): Promise<void> {
  await db.knex(TABLE).where({ id }).delete();
}
