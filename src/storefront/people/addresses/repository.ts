import type { Ctx } from '#kernel/context.ts';
import { insertInto } from '#kernel/db/record-rows.ts';
import { statement } from '#kernel/db/statement.ts';
import { type CustomerAddress, customerAddressRecord } from './record.ts';

const TABLE = customerAddressRecord.table;

const added = insertInto(customerAddressRecord);
export const insert = ({ db }: Ctx, one: CustomerAddress): Promise<number> =>
  added.run(db, customerAddressRecord.write(one));

const ofCustomer = statement<{ customer_id: string }, object>((q, p) =>
  q(TABLE).where('customer_id', p('customer_id')).orderBy(['created_at', 'id']).select('*'),
);
/** The oldest first. */
export const list = async ({ db }: Ctx, customerId: string): Promise<CustomerAddress[]> =>
  (await ofCustomer.all(db, { customer_id: customerId })).map(customerAddressRecord.read);

export async function update({ db }: Ctx, one: CustomerAddress): Promise<void> {
  await db.knex(TABLE).where({ id: one.id }).update(customerAddressRecord.write(one));
}

/** @returns how many went */
export const remove = ({ db }: Ctx, customerId: string, id: string): Promise<number> =>
  db.knex(TABLE).where({ id, customer_id: customerId }).delete();

/** Gives an address of one customer to another one. */
export async function give(
  { db }: Ctx,
  { id, isDefaultShipping, isDefaultBilling }: CustomerAddress,
  toId: string,
): Promise<void> {
  await db.knex(TABLE).where({ id }).update({
    customer_id: toId,
    is_default_shipping: isDefaultShipping,
    is_default_billing: isDefaultBilling,
  });
}
