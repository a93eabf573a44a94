import type { Ctx } from '#kernel/context.ts';
import { filter } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import { type CustomerNote, customerNoteRecord } from './record.ts';

/** What is known of customers beside their rows. */
export interface KnownOf {
  readonly groups: ReadonlyMap<string, { id: string; name: string }[]>;
  readonly notes: ReadonlyMap<string, number>;
  /** Whose sign-in asks for a code. */
  readonly secondFactors: ReadonlySet<string>;
}

/** Groups depend on customers: their tables go by name here. */
async function groupsOf({ db }: Ctx, ids: readonly string[]): Promise<KnownOf['groups']> {
  const rows: { customer_id: string; id: string; name: string }[] = await db
    .knex({ m: 'customer_group_members' })
    .join({ g: 'customer_groups' }, 'g.id', 'm.group_id')
    .whereIn('m.customer_id', [...ids])
    .orderBy(['g.name', 'g.id'])
    .select('m.customer_id', 'g.id', 'g.name');
  const found = new Map<string, { id: string; name: string }[]>();
  for (const { customer_id, id, name } of rows)
    found.set(customer_id, [...(found.get(customer_id) ?? []), { id, name }]);
  return found;
}

async function countNotes({ db }: Ctx, ids: readonly string[]): Promise<KnownOf['notes']> {
  const rows: { customer_id: string; count: number | string }[] = await db
    .knex(customerNoteRecord.table)
    .whereIn('customer_id', [...ids])
    .groupBy('customer_id')
    .select('customer_id', db.knex.raw('count(*) as count'));
  return new Map(rows.map(({ customer_id, count }) => [customer_id, Number(count)]));
}

async function withSecondFactor({ db }: Ctx, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows: { subject_id: string }[] = await db
    .knex('second_factors')
    .whereIn('subject_id', [...ids])
    .whereNotNull('enabled_at')
    .select('subject_id');
  return new Set(rows.map(({ subject_id }) => subject_id));
}

/** What is known of some customers beside their rows: one question each for all of them. */
export async function knownOf(ctx: Ctx, ids: readonly string[]): Promise<KnownOf> {
  const [groups, notes, secondFactors] = await Promise.all([
    groupsOf(ctx, ids),
    countNotes(ctx, ids),
    withSecondFactor(ctx, ids),
  ]);
  return { groups, notes, secondFactors };
}

/** What staff noted of customers. */
export const customerNoteRows = selection<CustomerNote>({
  from: ({ db }) => db.knex(customerNoteRecord.table),
  id: 'id',
  scope: 'none',
  columns: ['*'],
  read: customerNoteRecord.read,
  filters: {
    customerId: filter.lookup({ label: 'Customer', column: 'customer_id', resource: 'shop-customers' }),
  },
  sorts: { created: 'created_at' },
  initial: '-created',
});
