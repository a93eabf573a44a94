import type { Ctx } from '#kernel/context.ts';
import { filter } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import { statement } from '#kernel/db/statement.ts';
import { orderItemRecord, orderRecord } from '#storefront/orders/orders/index.ts';
import { type DownloadGrant, downloadGrantRecord } from './record.ts';

const GRANTS = downloadGrantRecord.table;

/** A file of a variant that was bought, and how many units of its line are still wanted. */
export interface SoldFile {
  readonly order_item_id: string;
  readonly digital_file_id: string;
  readonly kind: DownloadGrant['kind'];
  readonly name: string;
  readonly storage_key: string | null;
  readonly bytes: number | string;
  readonly sha256: string | null;
  readonly release_channel: string | null;
  readonly max_downloads: number | null;
  readonly expires_days: number | null;
}

/** Lines of an order by its index, and of each the files of its variant by theirs: most orders have none. */
const sold = statement<{ orderId: string }, SoldFile>((q, p) =>
  q({ i: orderItemRecord.table })
    .join({ f: 'digital_files' }, 'f.variant_id', 'i.variant_id')
    .where('i.order_id', p('orderId'))
    .whereRaw('i.quantity > i.cancelled_quantity AND i.quantity > i.refunded_quantity')
    .orderBy(['i.position', 'i.id', 'f.position', 'f.id'])
    .select(
      { order_item_id: 'i.id', digital_file_id: 'f.id' },
      'f.kind',
      'f.name',
      'f.storage_key',
      'f.bytes',
      'f.sha256',
      'f.release_channel',
      'f.max_downloads',
      'f.expires_days',
    ),
);
export const soldFiles = ({ db }: Ctx, orderId: string): Promise<SoldFile[]> => sold.all(db, { orderId });

/** A file and whether it is held back: while its order is disputed, or all units of its line are on their way back. */
export type HeldGrant = DownloadGrant & { readonly isSuspended: boolean };

const SUSPENDED = `CASE WHEN EXISTS (SELECT 1 FROM payments p WHERE p.order_id = g.order_id AND p.dispute = 'open')
  OR EXISTS (SELECT 1 FROM returns r JOIN return_items n ON n.return_id = r.id JOIN order_items l ON l.id = n.order_item_id
    WHERE r.order_id = g.order_id AND r.status IN ('approved', 'in_transit', 'received')
    AND n.order_item_id = g.order_item_id AND n.approved_quantity >= l.quantity - l.cancelled_quantity - l.refunded_quantity)
  THEN 1 ELSE 0 END AS is_suspended`;

interface HeldRow {
  readonly is_suspended: number;
}
const held = (row: HeldRow): HeldGrant => ({
  ...downloadGrantRecord.read(row),
  isSuspended: row.is_suspended === 1,
});

const byId = statement<{ id: string }, HeldRow>((q, p) =>
  q({ g: GRANTS }).where('g.id', p('id')).limit(1).select('g.*', q.raw(SUSPENDED)),
);
/** A file that somebody bought, by its id; null for an unknown one. */
export async function findGrant({ db }: Ctx, id: string): Promise<HeldGrant | null> {
  const row = await byId.first(db, { id });
  return row ? held(row) : null;
}

const ofOrder = statement<{ orderId: string }, HeldRow>((q, p) =>
  q({ g: GRANTS })
    .join({ i: orderItemRecord.table }, 'i.id', 'g.order_item_id')
    .where('g.order_id', p('orderId'))
    .orderBy(['i.position', 'g.id'])
    .select('g.*', q.raw(SUSPENDED)),
);
/** The files of an order, in the order of its lines; those that were taken back too. */
export const grantsOf = async ({ db }: Ctx, orderId: string): Promise<HeldGrant[]> =>
  (await ofOrder.all(db, { orderId })).map(held);

/** A file with the number of its order. */
export type GrantOf = HeldGrant & { readonly orderNumber: string | null };

type RowOfOrder = HeldRow & { readonly order_number: string | null };
const withOrder = (row: RowOfOrder): GrantOf => ({ ...held(row), orderNumber: row.order_number });

/** The files that a customer has bought and may have, the newest first, and how many there are. */
export async function grantsOfCustomer(
  { db }: Ctx,
  customerId: string,
  { page, perPage }: { readonly page: number; readonly perPage: number },
): Promise<{ grants: GrantOf[]; total: number }> {
  const wanted = () =>
    db
      .knex({ g: GRANTS })
      .join({ o: orderRecord.table }, 'o.id', 'g.order_id')
      .where('o.customer_id', customerId)
      .whereNull('g.revoked_at');
  const rows: RowOfOrder[] = await wanted()
    .orderBy([
      { column: 'g.created_at', order: 'desc' },
      { column: 'g.id', order: 'desc' },
    ])
    .limit(perPage)
    .offset((page - 1) * perPage)
    .select('g.*', 'o.order_number', db.knex.raw(SUSPENDED));
  const [counted]: { n: number | string }[] = await wanted().count({ n: '*' });
  return { grants: rows.map(withOrder), total: Number(counted?.n ?? 0) };
}

/** One of them; null for one of somebody else, for one that was taken back, and for an unknown one. */
export async function grantOfCustomer(
  { db }: Ctx,
  customerId: string,
  id: string,
): Promise<HeldGrant | null> {
  const row: HeldRow | undefined = await db
    .knex({ g: GRANTS })
    .join({ o: orderRecord.table }, 'o.id', 'g.order_id')
    .where({ 'g.id': id, 'o.customer_id': customerId })
    .whereNull('g.revoked_at')
    .first('g.*', db.knex.raw(SUSPENDED));
  return row ? held(row) : null;
}

/** For staff: of all orders. */
export const grantRows = selection<GrantOf, RowOfOrder>({
  from: ({ db }) => db.knex({ g: GRANTS }).join({ o: orderRecord.table }, 'o.id', 'g.order_id'),
  id: 'g.id',
  scope: 'none',
  columns: ({ db }) => ['g.*', 'o.order_number', db.knex.raw(SUSPENDED)],
  read: withOrder,
  filters: {
    orderId: filter.lookup({ label: 'Order', column: 'g.order_id', resource: 'shop-orders' }),
  },
  sorts: { created: 'g.created_at', name: 'g.file_name' },
  initial: '-created',
});
