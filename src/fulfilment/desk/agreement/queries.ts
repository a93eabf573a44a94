import type { Ctx } from '#kernel/context.ts';
import { orderItemRecord, orderRecord } from '#storefront/orders/orders/index.ts';
import { licenseMintRecord } from '../../minting/index.ts';

/** Read models of `appctl doctor` over all licenses of orders. */
const MOST = 200;
const AT_ONCE = 200;
const TABLE = licenseMintRecord.table;

/** Paid orders that live, with fewer rows of licenses than units: of seats one row is enough. Some at a time. */
export async function* suspects({ db: { knex } }: Ctx): AsyncGenerator<string[]> {
  for (let after = ''; ; ) {
    const made = knex({ m: TABLE }).whereRaw('m.order_item_id = i.id').count('*');
    const rows: { id: string }[] = await knex({ i: orderItemRecord.table })
      .join({ o: orderRecord.table }, 'o.id', 'i.order_id')
      .whereNotNull('i.fulfilment')
      .whereNotNull('o.paid_at')
      .whereNull('o.cancelled_at')
      .where('o.id', '>', after)
      .whereRaw('(?) < i.quantity - i.cancelled_quantity', [made])
      .groupBy('o.id')
      .orderBy('o.id')
      .limit(AT_ONCE)
      .select('o.id');
    if (rows.length === 0) return;
    yield rows.map(({ id }) => id);
    after = rows.at(-1)?.id ?? after;
  }
}

/** Numbers of orders with licenses that could not be made so far. */
export async function ordersFailed({ db: { knex } }: Ctx): Promise<string[]> {
  const rows: { number: string }[] = await knex({ m: TABLE })
    .join({ o: orderRecord.table }, 'o.id', 'm.order_id')
    .where({ 'm.status': 'failed', 'm.wanted': 'minted' })
    .groupBy('o.id', 'o.order_number')
    .orderBy('o.id')
    .limit(MOST)
    .select(knex.raw('COALESCE(o.order_number, o.id) AS number'));
  return rows.map(({ number }) => number);
}

/** Whether the job will look at an order again. */
export async function isWaiting({ db: { knex } }: Ctx, orderId: string): Promise<boolean> {
  return (
    (await knex(TABLE).where({ order_id: orderId }).whereNotNull('next_attempt_at').first('id')) !== undefined
  );
}

/** A row whose license was made. */
export interface MadeRow {
  readonly id: string;
  readonly licenseId: string;
  readonly orderNumber: string;
}

/** Rows whose license was made, some at a time. */
export async function* madeRows({ db: { knex } }: Ctx): AsyncGenerator<MadeRow[]> {
  for (let after = ''; ; ) {
    const rows: { id: string; license_id: string; number: string }[] = await knex({ m: TABLE })
      .join({ o: orderRecord.table }, 'o.id', 'm.order_id')
      .whereNotNull('m.license_id')
      // Revoked ones may be in the trash, or gone from it.
      .whereNot('m.status', 'revoked')
      .where('m.id', '>', after)
      .orderBy('m.id')
      .limit(AT_ONCE)
      .select('m.id', 'm.license_id', knex.raw('COALESCE(o.order_number, o.id) AS number'));
    if (rows.length === 0) return;
    yield rows.map((row) => ({ id: row.id, licenseId: row.license_id, orderNumber: row.number }));
    after = rows.at(-1)?.id ?? after;
  }
}

/** Licenses that several rows have. */
export async function listTwice({ db: { knex } }: Ctx): Promise<string[]> {
  const rows: { license_id: string }[] = await knex(TABLE)
    .whereNotNull('license_id')
    .groupBy('license_id')
    .havingRaw('count(*) > 1')
    .limit(MOST)
    .select('license_id');
  return rows.map((row) => row.license_id);
}

/** Rows that are not what they are to be, and that nobody has tried again for long. @param before ISO time */
export async function listIdle({ db: { knex } }: Ctx, before: string): Promise<string[]> {
  const rows: { id: string }[] = await knex(TABLE)
    .whereRaw('status <> wanted')
    .where((any) => any.whereNull('next_attempt_at').orWhere('next_attempt_at', '<', before))
    .orderBy('id')
    .limit(MOST)
    .select('id');
  return rows.map(({ id }) => id);
}
