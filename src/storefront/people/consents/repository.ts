import type { Ctx } from '#kernel/context.ts';
import { insertInto } from '#kernel/db/record-rows.ts';
import { type Consent, consentRecord } from './record.ts';

const TABLE = consentRecord.table;
const added = insertInto(consentRecord);

export const insert = ({ db }: Ctx, one: Consent): Promise<number> => added.run(db, consentRecord.write(one));

/** What one customer or subscriber agreed to, the newest first. */
export async function list(
  { db }: Ctx,
  of: { readonly customer_id: string } | { readonly subscriber_id: string },
): Promise<Consent[]> {
  const rows: object[] = await db
    .knex(TABLE)
    .where(of)
    .orderBy([
      { column: 'created_at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ]);
  return rows.map(consentRecord.read);
}

/** Removes the proofs of a subscriber who is gone: nothing else lets one go. */
export const removeOfSubscriber = ({ db }: Ctx, subscriberId: string): Promise<number> =>
  db.knex(TABLE).where({ subscriber_id: subscriberId, customer_id: null }).delete();

/** Removes the proofs of a customer who is anonymised: no other one may go. */
export const removeOfCustomer = ({ db }: Ctx, customerId: string): Promise<number> =>
  db.knex(TABLE).where({ customer_id: customerId }).delete();
