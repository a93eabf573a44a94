import type { Ctx } from '#kernel/context.ts';
import { readFlag } from '#kernel/db/columns.ts';
import { filter } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import { statement } from '#kernel/db/statement.ts';
import { type CustomerGroup, customerGroupRecord, groupMemberRecord } from './record.ts';

const GROUPS = customerGroupRecord.table;
const MEMBERS = groupMemberRecord.table;

export const groupRows = selection<CustomerGroup>({
  from: ({ db }) => db.knex(GROUPS),
  id: 'id',
  scope: 'none',
  columns: ['*'],
  read: customerGroupRecord.read,
  filters: {
    customerId: filter.text({
      label: 'Customer',
      column: (query, id, { db }) =>
        void query.whereIn('id', db.knex(MEMBERS).where({ customer_id: id }).select('group_id')),
    }),
  },
  search: { placeholder: 'Name', by: ['name'] },
  sorts: { name: 'name', created: 'created_at' },
  initial: 'name',
});

const ruled = statement<Record<never, never>, object>((q) =>
  q(GROUPS).whereNotNull('rule').orderBy('id').select('*'),
);

/** Groups whose members follow from a rule. */
export const ruledGroups = async ({ db }: Ctx): Promise<CustomerGroup[]> =>
  (await ruled.all(db, {})).map(customerGroupRecord.read);

/** How many each of some groups has. */
export async function countMembers(
  { db }: Ctx,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows: { group_id: string; count: number | string }[] = await db
    .knex(MEMBERS)
    .whereIn('group_id', [...ids])
    .groupBy('group_id')
    .select('group_id', db.knex.raw('count(*) as count'));
  return new Map(rows.map(({ group_id, count }) => [group_id, Number(count)]));
}

/** A group as it is named where a customer is shown. */
export interface GroupOf {
  readonly customerId: string;
  readonly id: string;
  readonly name: string;
}

/** The groups of some customers, by name. */
export async function groupsOf({ db }: Ctx, customerIds: readonly string[]): Promise<GroupOf[]> {
  const rows: { customer_id: string; id: string; name: string }[] = await db
    .knex({ m: MEMBERS })
    .join({ g: GROUPS }, 'g.id', 'm.group_id')
    .whereIn('m.customer_id', [...customerIds])
    .orderBy(['g.name', 'g.id'])
    .select('m.customer_id', 'g.id', 'g.name');
  return rows.map(({ customer_id: customerId, id, name }) => ({ customerId, id, name }));
}

/** What of an account decides its prices, but for what is in the cart. */
export interface Buyer {
  readonly customerId: string;
  /** The customer or one of the groups is exempt (storefront-domain 5). */
  readonly isTaxExempt: boolean;
  readonly groupIds: readonly string[];
  /** Of the groups, whether they hold now or not. */
  readonly priceListIds: readonly string[];
}

const buyer = statement<
  { id: string },
  {
    tax_exempt: unknown;
    group_id: string | null;
    group_exempt: unknown;
    price_list_id: string | null;
  }
>((q, p) =>
  q({ c: 'customers' })
    .leftJoin({ m: MEMBERS }, 'm.customer_id', 'c.id')
    .leftJoin({ g: GROUPS }, 'g.id', 'm.group_id')
    .where('c.id', p('id'))
    .whereRaw('c.is_guest = FALSE')
    .where('c.status', q.raw("'active'"))
    .select('c.tax_exempt', 'g.price_list_id', { group_id: 'g.id', group_exempt: 'g.tax_exempt' }),
);

/**
 * A customer with what the groups bring; null for a guest: whoever writes an address has not proved that it is theirs.
 */
export async function buyerOf({ db }: Ctx, customerId: string | null): Promise<Buyer | null> {
  if (customerId === null) return null;
  const rows = await buyer.all(db, { id: customerId });
  if (rows.length === 0) return null;
  return {
    customerId,
    isTaxExempt: rows.some((row) => readFlag(row.tax_exempt) || readFlag(row.group_exempt)),
    groupIds: rows.flatMap(({ group_id }) => group_id ?? []),
    priceListIds: [...new Set(rows.flatMap(({ price_list_id }) => price_list_id ?? []))],
  };
}

/** A group that somebody named. */
export interface NamedGroup {
  readonly id: string;
  /** Its members follow from a rule. */
  readonly hasRule: boolean;
}

/** Groups by name or id, as they were named. */
export async function groupsNamed(
  { db }: Ctx,
  names: readonly string[],
): Promise<ReadonlyMap<string, NamedGroup>> {
  if (names.length === 0) return new Map();
  const rows: { id: string; name: string; rule: unknown }[] = await db
    .knex(GROUPS)
    .whereIn('id', [...names])
    .orWhereIn('name', [...names])
    .select('id', 'name', 'rule');
  return new Map(
    rows.flatMap(({ id, name, rule }) => {
      const one: NamedGroup = { id, hasRule: rule !== null };
      return [[id, one] as const, [name, one] as const];
    }),
  );
}
