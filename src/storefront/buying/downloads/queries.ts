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

const ofOrder = statement<{ orderId: string }, object>((q, p) =>
  q({ g: GRANTS })
    .join({ i: orderItemRecord.table }, 'i.id', 'g.order_item_id')
    .where('g.order_id', p('orderId'))
    .orderBy(['i.position', 'g.id'])
    .select('g.*'),
);
/** The files of an order, in the order of its lines; those that were taken back too. */
export const grantsOf = async ({ db }: Ctx, orderId: string): Promise<DownloadGrant[]> =>
  (await ofOrder.all(db, { orderId })).map(downloadGrantRecord.read);

/** A file with the number of its order. */
export type GrantOf = DownloadGrant & { readonly orderNumber: string | null };

const withOrder = (row: { order_number: string | null }): GrantOf => ({
  ...downloadGrantRecord.read(row),
  orderNumber: row.order_number,
});

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
  const rows: { order_number: string | null }[] = await wanted()
    .orderBy([
      { column: 'g.created_at', order: 'desc' },
      { column: 'g.id', order: 'desc' },
    ])
    .limit(perPage)
    .offset((page - 1) * perPage)
    .select('g.*', 'o.order_number');
  const [counted]: { n: number | string }[] = await wanted().count({ n: '*' });
  return { grants: rows.map(withOrder), total: Number(counted?.n ?? 0) };
}

/** One of them; null for one of somebody else, for one that was taken back, and for an unknown one. */
export async function grantOfCustomer(
  { db }: Ctx,
  customerId: string,
  id: string,
): Promise<DownloadGrant | null> {
  const row: object | undefined = await db
    .knex({ g: GRANTS })
    .join({ o: orderRecord.table }, 'o.id', 'g.order_id')
    .where({ 'g.id': id, 'o.customer_id': customerId })
    .whereNull('g.revoked_at')
    .first('g.*');
  return row ? downloadGrantRecord.read(row) : null;
}

/** For staff: of all orders. */
export const grantRows = selection<GrantOf, { order_number: string | null }>({
  from: ({ db }) => db.knex({ g: GRANTS }).join({ o: orderRecord.table }, 'o.id', 'g.order_id'),
  id: 'g.id',
  scope: 'none',
  columns: ['g.*', 'o.order_number'],
  read: withOrder,
  filters: {
    orderId: filter.lookup({ label: 'Order', column: 'g.order_id', resource: 'shop-orders' }),
  },
  sorts: { created: 'g.created_at', name: 'g.file_name' },
  initial: '-created',
});
