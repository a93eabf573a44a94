import type { Ctx } from '#kernel/context.ts';
import type { Knex } from '#kernel/db/database.ts';
import { filter } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import { type Customer, customerRecord, normalEmail, visible } from '#licensing/catalog/customers/index.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { activationRecord } from '../activations/index.ts';
import { type License, licenseRows } from '../licenses/index.ts';

const TABLE = customerRecord.table;

/** A customer with the licenses that the actor sees, those in the trash left out. */
export type Holder = Customer & { readonly licenses: readonly License[] };

/** Customers as staff lists them. */
export const holderRows = selection<Holder>({
  from: ({ db }) => db.knex(TABLE),
  id: `${TABLE}.id`,
  scope: (query, ctx) => void visible(ctx, query.where(`${TABLE}.tenant_id`, ctx.tenantId)),
  columns: [`${TABLE}.*`],
  read: (stored) => ({ ...customerRecord.read(stored), licenses: [] }),
  complete: async (ctx, rows) => {
    const held = await licensesOf(
      ctx,
      rows.map(({ id }) => id),
    );
    return rows.map((row) => ({ ...row, licenses: held.get(row.id) ?? [] }));
  },
  filters: {
    email: filter.text({
      label: 'E-mail',
      column: (query, address) => void query.where('email_norm', normalEmail(address)),
    }),
    productId: products.productFilter(
      (query, ids, ctx) => void query.whereExists(held(ctx).whereIn('l.product_id', ids)),
      'Has a license of',
    ),
    active: filter.flag({
      label: 'Has an active license',
      column: (query, wanted, ctx) => {
        const active = held(ctx)
          .where('l.status', 'ACTIVE')
          .where((open) => open.whereNull('l.valid_until').orWhere('l.valid_until', '>', ctx.now()));
        void (wanted ? query.whereExists(active) : query.whereNotExists(active));
      },
    }),
    erased: filter.flag({
      label: 'Erased',
      column: (query, wanted) =>
        void (wanted ? query.whereNotNull('anonymized_at') : query.whereNull('anonymized_at')),
    }),
    metadata: filter.pair({ label: 'Metadata', column: 'metadata' }),
    created: filter.times({ label: 'Created', column: `${TABLE}.created_at` }),
  },
  search: { placeholder: 'Email or name', by: ['email_norm', 'name'] },
  sorts: {
    email: 'email_norm',
    name: { column: 'name', isNullable: true },
    created: `${TABLE}.created_at`,
    updated: `${TABLE}.updated_at`,
  },
  initial: 'created',
});

const held = ({ db }: Ctx): Knex.QueryBuilder =>
  db
    .knex('licenses as l')
    .whereRaw('l.customer_id = ??', [`${TABLE}.id`])
    .whereNull('l.deleted_at');

/** Licenses by their customer, in the order of their ids. @param filters as `licenseRows` takes them */
export async function licensesOf(
  ctx: Ctx,
  customerIds: readonly string[],
  filters: { deleted?: boolean } = {},
): Promise<Map<string, License[]>> {
  const found = new Map<string, License[]>();
  const asked = { sort: 'id', filters: { customerId: customerIds, ...filters } };
  for await (const page of licenseRows.stream(ctx, asked)) {
    for (const license of page) {
      const of = found.get(license.customer.id) ?? [];
      of.push(license);
      found.set(license.customer.id, of);
    }
  }
  return found;
}

/** Machines of a license, live or not, oldest first. */
export async function machinesOf({ db }: Ctx, licenseId: string) {
  const rows = await db
    .knex(activationRecord.table)
    .where({ license_id: licenseId })
    .orderBy(['activated_at', 'id']);
  return rows.map(activationRecord.read);
}
