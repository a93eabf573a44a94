import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import type { Knex } from '#kernel/db/database.ts';
import { elementsOf } from '#kernel/db/dialect.ts';
import { groupMemberRecord } from '../record.ts';
import { type Condition, countriesIn, type Rule } from '../rule.ts';

const MEMBERS = groupMemberRecord.table;
/** Orders belong to a wing above: their tables go by name here. */
const ORDERS = 'orders';
const ORDER_ADDRESSES = 'order_addresses';
const COMPARED = { at_least: '>=', at_most: '<=', since: '>=', before: '<' } as const;

/** Placed orders of a customer of the query that were not cancelled. */
const ordersOf = ({ knex }: Ctx['db']): Knex.QueryBuilder =>
  knex({ o: ORDERS })
    .whereRaw('o.customer_id = customers.id')
    .whereNotNull('o.placed_at')
    .whereNot('o.status', 'cancelled')
    .select(knex.raw('1'));

type Narrow = (query: Knex.QueryBuilder, condition: Condition, ctx: Ctx) => void;

const number =
  (column: string): Narrow =>
  (query, { op, value }) =>
    void query.where(column, COMPARED[op as 'at_least' | 'at_most'], Number(value));

const flag =
  (column: string, isTurned = false): Narrow =>
  (query, { value }) =>
    void query.where(column, (value === 'true') !== isTurned);

const existing = (query: Knex.QueryBuilder, is: boolean, rows: Knex.QueryBuilder): void =>
  void (is ? query.whereExists(rows) : query.whereNotExists(rows));

const daysAgo = (ctx: Ctx, days: string): string => addSeconds(ctx.now(), -Number(days) * SECONDS_PER_DAY);

/** What each field says of a row of `customers`. */
const narrow: Readonly<Record<Condition['field'], Narrow>> = {
  order_count: number('customers.order_count'),
  spent_cents: number('customers.spent_cents'),
  accepts_marketing: flag('customers.accepts_marketing'),
  has_account: flag('customers.is_guest', true),
  last_order_days: (query, { op, value }, ctx) =>
    existing(query, op === 'within', ordersOf(ctx.db).where('o.placed_at', '>=', daysAgo(ctx, value))),
  registered_days: (query, { op, value }, ctx) =>
    void query
      .where('customers.is_guest', false)
      .where('customers.created_at', op === 'within' ? '>=' : '<', daysAgo(ctx, value)),
  registered: (query, { op, value }) =>
    void query
      .where('customers.is_guest', false)
      .where('customers.created_at', COMPARED[op as 'since' | 'before'], `${value}T00:00:00.000Z`),
  country: (query, { op, value }, { db }) =>
    existing(
      query,
      op === 'is',
      ordersOf(db)
        .join({ a: ORDER_ADDRESSES }, 'a.order_id', 'o.id')
        .whereIn('a.country', countriesIn(value)),
    ),
  tag: (query, { op, value }, { db }) =>
    existing(query, op === 'is', elementsOf(db.knex, 'customers.tags').where('element', value)),
};

/** Ids of the customers whom a rule is about, a query. @param customerId only whether it is about this one */
export function matching(ctx: Ctx, rule: Rule, customerId?: string): Knex.QueryBuilder {
  const query = ctx.db.knex('customers').whereNot('customers.status', 'anonymised').select('customers.id');
  if (customerId !== undefined) query.where('customers.id', customerId);
  return query.where((all) => {
    for (const condition of rule.conditions) {
      const one = (each: Knex.QueryBuilder) => narrow[condition.field](each, condition, ctx);
      if (rule.match === 'all') all.where(one);
      else all.orWhere(one);
    }
  });
}

/** Customers whom a rule is about and who are not in the group, the first ones. */
export async function missingMembers(ctx: Ctx, groupId: string, rule: Rule, most: number): Promise<string[]> {
  const rows: { id: string }[] = await matching(ctx, rule)
    .whereNotIn('customers.id', ctx.db.knex(MEMBERS).where({ group_id: groupId }).select('customer_id'))
    .orderBy('customers.id')
    .limit(most);
  return rows.map(({ id }) => id);
}

/** Members whom the rule of the group is not about, the first ones. */
export async function surplusMembers(ctx: Ctx, groupId: string, rule: Rule, most: number): Promise<string[]> {
  const rows: { customer_id: string }[] = await ctx.db
    .knex(MEMBERS)
    .where({ group_id: groupId })
    .whereNotIn('customer_id', matching(ctx, rule))
    .orderBy('customer_id')
    .limit(most)
    .select('customer_id');
  return rows.map(({ customer_id: id }) => id);
}

/** Whether a rule is about a customer. */
export const isAbout = async (ctx: Ctx, rule: Rule, customerId: string): Promise<boolean> =>
  (await matching(ctx, rule, customerId).first()) !== undefined;

/** Of some ids those of customers who are not anonymised. */
export async function knownCustomers({ db }: Ctx, ids: readonly string[]): Promise<Set<string>> {
  const rows: { id: string }[] = await db
    .knex('customers')
    .whereIn('id', [...ids])
    .whereNot('status', 'anonymised')
    .select('id');
  return new Set(rows.map(({ id }) => id));
}
