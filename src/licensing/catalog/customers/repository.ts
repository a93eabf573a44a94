import { scopeOf } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import type { Knex } from '#kernel/db/database.ts';
import type { Row } from '#kernel/db/record.ts';
import { insertInto } from '#kernel/db/record-rows.ts';
import { statement } from '#kernel/db/statement.ts';
import { visibleTo } from '#kernel/db/visible.ts';
import { rewriteEvents } from '#kernel/outbox/repository.ts';
import { type Customer, customerRecord } from './record.ts';
import { normalEmail } from './schemas.ts';

/** What a license needs of its customer. */
export type CustomerName = Pick<Customer, 'id' | 'email' | 'name'>;

const TABLE = customerRecord.table;

const insertRow = insertInto(customerRecord);
const insertUnlessThere = statement<Row>((q, p) =>
  q(TABLE)
    .insert(p.row(...customerRecord.written))
    .onConflict(['tenant_id', 'email_norm'])
    .ignore(),
);
const byEmail = statement<{ tenant_id: string; email_norm: string }>((q, p) =>
  q(TABLE).where('tenant_id', p('tenant_id')).where('email_norm', p('email_norm')).select('*'),
);
const byId = statement<{ tenant_id: string; id: string }>((q, p) =>
  q(TABLE).where('id', p('id')).where('tenant_id', p('tenant_id')).select('*'),
);
const nameUnlessNamed = statement<{ id: string; name: string; now: string }>((q, p) =>
  q(TABLE)
    .where('id', p('id'))
    .andWhere((empty) => empty.whereNull('name').orWhere('name', ''))
    .update({ name: p('name'), updated_at: p('now') }),
);

/** Throws a unique violation for an address that the tenant has. */
export async function insert(ctx: Ctx, customer: Customer): Promise<void> {
  await insertRow.run(ctx.db, customerRecord.write(customer));
}

/**
 * Inserts unless the tenant has the address; false when it had. On Postgres this waits for a rival that inserts the
 * same address, so that the look-up afterwards sees it.
 */
export const insertIfNew = async (ctx: Ctx, customer: Customer): Promise<boolean> =>
  (await insertUnlessThere.run(ctx.db, customerRecord.write(customer))) === 1;

/** Gives a name to a customer that has none; false when it has one (D50). */
export const fillName = async (ctx: Ctx, id: string, name: string): Promise<boolean> =>
  (await nameUnlessNamed.run(ctx.db, { id, name, now: ctx.now() })) === 1;

export async function findByEmail(ctx: Ctx, email: string): Promise<Customer | null> {
  const row = await byEmail.first(ctx.db, { tenant_id: ctx.tenantId, email_norm: normalEmail(email) });
  return row ? customerRecord.read(row) : null;
}

export async function findById(ctx: Ctx, id: string): Promise<Customer | null> {
  const row = await byId.first(ctx.db, { tenant_id: ctx.tenantId, id });
  return row ? customerRecord.read(row) : null;
}

/** Narrows a query over the table to customers who have a license of a product that the actor sees. */
export function visible(ctx: Ctx, query: Knex.QueryBuilder): Knex.QueryBuilder {
  if (!scopeOf(ctx.actor, 'license_product')) return query;
  const held = ctx.db.knex('licenses as l').whereRaw('l.customer_id = ??', [`${TABLE}.id`]);
  return query.whereExists(visibleTo(ctx, held, { license_product: 'l.product_id' }));
}

/** Whether the actor may know of a customer. */
export const isVisible = async (ctx: Ctx, id: string): Promise<boolean> =>
  !scopeOf(ctx.actor, 'license_product') ||
  (await visible(ctx, ctx.db.knex(TABLE).where({ id })).first('id')) !== undefined;

/** Holds the customer until the transaction ends; a license that names it meanwhile has to wait. */
export async function lock(ctx: Ctx, id: string): Promise<void> {
  await ctx.db.knex(TABLE).where({ id }).forUpdate().first('id');
}

/** Throws a unique violation for an address that the tenant has. */
export async function update(ctx: Ctx, customer: Customer): Promise<void> {
  await ctx.db.knex(TABLE).where({ id: customer.id }).update(customerRecord.write(customer));
}

/** Throws a foreign key violation while a license names the customer. */
export async function remove(ctx: Ctx, id: string): Promise<void> {
  await ctx.db.knex(TABLE).where({ id }).delete();
}

/**
 * Holds all licenses of a customer, trashed ones too, until the transaction ends, in the order of their ids (C9).
 *
 * @returns their ids
 */
export const lockLicenses = async (ctx: Ctx, id: string): Promise<string[]> =>
  (await ctx.db.knex('licenses').where({ customer_id: id }).orderBy('id').forUpdate().select('id')).map(
    (row) => row.id,
  );

/** Takes the address out of the one event that names it (HEARTBEAT_MISSED, D124); how many lines were changed. */
export async function forgetAddress(ctx: Ctx, licenseIds: readonly string[]): Promise<number> {
  let changed = 0;
  for (const subject of licenseIds) {
    changed += await rewriteEvents(ctx, { subject, type: 'HEARTBEAT_MISSED' }, (data) => {
      const details = data.details as { customerEmail?: string | null } | undefined;
      if (!details?.customerEmail) return null;
      return { ...data, details: { ...details, customerEmail: null } };
    });
  }
  return changed;
}
