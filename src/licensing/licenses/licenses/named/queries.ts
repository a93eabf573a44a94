import type { Ctx } from '#kernel/context.ts';
import type { Knex } from '#kernel/db/database.ts';
import { whereEntry } from '#kernel/db/dialect.ts';
import { matching } from '#kernel/db/selection/filter.ts';
import { normalEmail } from '#licensing/catalog/customers/index.ts';
import { canonicalKey, keyShape } from '#licensing/catalog/key-formats/index.ts';
import { KEY_KINDS } from '#licensing/contract/enumerations.ts';
import { keyDigest } from '../../standing/index.ts';

/** A lease that has run out is no live machine, swept or not (D75). @param now ISO 8601 UTC */
export const liveMachines = (knex: Knex, now: string): Knex.QueryBuilder =>
  knex('license_activations as a')
    .whereNull('a.ended_at')
    .where((live) => live.whereNull('a.lease_expires_at').orWhere('a.lease_expires_at', '>', now));

/** A text that stands in so many addresses or names is no search: the first ones are shown. */
const MOST_HOLDERS = 1000;
/** As ids, they have to fit into one statement. */
const MOST_LICENSES = 10_000;

const METADATA = /^metadata\.([^=]+)=(.+)$/s;

/**
 * Narrows licenses to what a text names. What names one thing is looked up along its index: a whole key, an id, an
 * order, a machine, an e-mail address. Only a text that names nothing of these is looked for inside of
 * addresses, names and key prefixes, which reads all of them.
 *
 * @param query over `licenses as l`
 */
export async function byText(query: Knex.QueryBuilder, text: string, ctx: Ctx): Promise<void> {
  const [, name, value] = METADATA.exec(text) ?? [];
  if (name !== undefined && value !== undefined) whereEntry(query, 'l.metadata', { name, value });
  else {
    const [found] = await ctx.db.knex(named(ctx, text).as('found')).limit(1);
    // What reads whole tables does it once, not for the count and for the page.
    query.whereIn('l.id', found ? named(ctx, text) : await idsOf(holding(ctx, text)));
  }
}

async function idsOf(query: Knex.QueryBuilder): Promise<string[]> {
  const rows: { id: string }[] = await query;
  return rows.map(({ id }) => id);
}

/** Ids of the licenses that a text names: each part reads a few entries of one index. */
function named(ctx: Ctx, text: string): Knex.QueryBuilder {
  const { db, tenantId } = ctx;
  const { knex } = db;
  const licenses = () => knex('licenses').where({ tenant_id: tenantId });
  const parts = [
    licenses().where({ id: text }).select('id'),
    licenses().where({ order_id: text }).select('id'),
    liveMachines(knex, ctx.now())
      .where({ 'a.tenant_id': tenantId, 'a.machine_id': text })
      .select('a.license_id'),
  ];
  if (keyShape(text)) {
    const digest = keyDigest(ctx, canonicalKey(text));
    // Whoever asks may still have the key from before it was replaced.
    const keys = () => knex('license_keys').whereIn('kind', KEY_KINDS).select('license_id');
    parts.push(keys().where({ digest }), keys().where({ prefix: text.toUpperCase() }));
  }
  if (text.includes('@')) parts.push(ofCustomers(ctx, (all) => all.where('email_norm', normalEmail(text))));
  const [first, ...others] = parts as [Knex.QueryBuilder, ...Knex.QueryBuilder[]];
  return others.reduce((all, part) => all.union(part), first);
}

/** Ids of the licenses that a text stands in: address and name of the customer, beginning of the key, machine. */
function holding(ctx: Ctx, text: string): Knex.QueryBuilder {
  const { knex } = ctx.db;
  const holds = (query: Knex.QueryBuilder, ...columns: string[]) =>
    query.where((any) => {
      for (const column of columns) any.orWhere((each) => matching(each, column, text, 'contains'));
    });
  const machines = liveMachines(knex, ctx.now()).where({ 'a.tenant_id': ctx.tenantId });
  const named = holds(machines, 'a.machine_name').select('a.license_id').limit(MOST_HOLDERS);
  const found = ofCustomers(ctx, (all) => holds(all, 'email_norm', 'name').limit(MOST_HOLDERS)).union(
    knex(named.as('m')).select('license_id'),
  );
  // No key holds a blank, a dot or an @.
  if (keyShape(text)) {
    const keys = holds(knex('license_keys').where({ kind: 'CURRENT' }), 'prefix');
    found.union(knex(keys.select('license_id').limit(MOST_HOLDERS).as('k')).select('license_id'));
  }
  return knex(found.as('found')).select('id').limit(MOST_LICENSES);
}

const ofCustomers = (
  ctx: Ctx,
  narrow: (customers: Knex.QueryBuilder) => Knex.QueryBuilder,
): Knex.QueryBuilder => {
  const customers = narrow(ctx.db.knex('license_customers').where({ tenant_id: ctx.tenantId })).select('id');
  return ctx.db
    .knex('licenses')
    .whereIn('customer_id', ctx.db.knex(customers.as('c')).select('id'))
    .select('id');
};
