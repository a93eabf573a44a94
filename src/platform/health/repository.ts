import type { Ctx } from '#kernel/context.ts';
import { type CheckResult, checkResultRecord } from './record.ts';

const TABLE = checkResultRecord.table;

/** Keeps what a check found, in place of what it found before. */
export async function keepResult(ctx: Ctx, result: CheckResult): Promise<void> {
  await ctx.tx(async ({ db }) => {
    await db.knex(TABLE).insert(checkResultRecord.write(result)).onConflict('check_id').merge();
  });
}

/** What checks that take long found last, by their ids. */
export async function keptResults({ db }: Ctx): Promise<ReadonlyMap<string, CheckResult>> {
  const rows: object[] = await db.knex(TABLE);
  return new Map(rows.map((row) => checkResultRecord.read(row)).map((one) => [one.checkId, one]));
}
