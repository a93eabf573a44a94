import type { Ctx } from '#kernel/context.ts';
import { type SampleItem, type SampleKind, sampleRecord } from './record.ts';

const TABLE = sampleRecord.table;

/** What was made of one kind, the last first: what stands below another one comes before it. */
export async function listItems({ db }: Ctx, kind: SampleKind): Promise<SampleItem[]> {
  const rows: object[] = await db
    .knex(TABLE)
    .where({ kind })
    .orderBy([
      { column: 'created_at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ]);
  return rows.map(sampleRecord.read);
}

/** How many things there are of each kind. */
export async function countItems({ db }: Ctx): Promise<Partial<Record<SampleKind, number>>> {
  const rows: { kind: SampleKind; count: number | string }[] = await db
    .knex(TABLE)
    .groupBy('kind')
    .select('kind')
    .count({ count: '*' });
  return Object.fromEntries(rows.map(({ kind, count }) => [kind, Number(count)]));
}

/** Notes what was made, in place of what was noted of it before. */
export async function putItem({ db }: Ctx, item: SampleItem): Promise<void> {
  await db.knex(TABLE).insert(sampleRecord.write(item)).onConflict('id').merge(['mark']);
}

export async function removeItem({ db }: Ctx, id: string): Promise<void> {
  await db.knex(TABLE).where({ id }).delete();
}
