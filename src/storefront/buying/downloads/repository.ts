import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';
import { type DownloadGrant, downloadGrantRecord } from './record.ts';

const TABLE = downloadGrantRecord.table;

/** Leaves out those that are there already: an order that is paid once more has what it has. */
export async function insertGrants({ db }: Ctx, grants: readonly DownloadGrant[]): Promise<void> {
  const rows = grants.map((one) => downloadGrantRecord.write(one));
  await db.knex(TABLE).insert(rows).onConflict(['order_item_id', 'digital_file_id']).ignore();
}

/** Locked until the end of the transaction. */
export async function lockGrant({ db }: Ctx, id: string): Promise<DownloadGrant | null> {
  const row: object | undefined = await db.knex(TABLE).where({ id }).forUpdate().first();
  return row ? downloadGrantRecord.read(row) : null;
}

export async function updateGrant({ db }: Ctx, grant: DownloadGrant): Promise<void> {
  await db.knex(TABLE).where({ id: grant.id }).update(downloadGrantRecord.write(grant));
}

const USED = 'downloads_used + 1';

const counting = statement<{ id: string; now: string }>((q, p) =>
  q(TABLE)
    .where('id', p('id'))
    .whereNull('revoked_at')
    .where((any) => any.whereNull('max_downloads').orWhere('downloads_used', '<', q.ref('max_downloads')))
    .where((any) => any.whereNull('expires_at').orWhere('expires_at', '>', p('now')))
    .update({ downloads_used: q.raw(USED), last_download_at: p('now') }),
);
/** Counts one download: one UPDATE, so that of two at once the last one that is left has it (M27). */
export const takeDownload = async (ctx: Ctx, id: string): Promise<boolean> =>
  (await counting.run(ctx.db, { id, now: ctx.now() })) === 1;

export async function deleteOfLines({ db }: Ctx, itemIds: readonly string[]): Promise<void> {
  await db
    .knex(TABLE)
    .whereIn('order_item_id', [...itemIds])
    .delete();
}

const revoking = statement<{ orderId: string; now: string }>((q, p) =>
  q(TABLE)
    .where('order_id', p('orderId'))
    .whereNull('revoked_at')
    .update({ revoked_at: p('now'), updated_at: p('now') }),
);
/** Takes back all files of an order. @returns how many */
export const revokeAll = (ctx: Ctx, orderId: string): Promise<number> =>
  revoking.run(ctx.db, { orderId, now: ctx.now() });

const ALL_BACK = `order_item_id IN (SELECT i.id FROM order_items i WHERE i.order_id = download_grants.order_id
  AND (i.cancelled_quantity >= i.quantity OR i.quantity <= (
    SELECT COALESCE(SUM(r.quantity), 0) FROM refund_items r JOIN refunds f ON f.id = r.refund_id
    WHERE r.order_item_id = i.id AND f.status = 'succeeded')))`;
const revokingBack = statement<{ orderId: string; now: string }>((q, p) =>
  q(TABLE)
    .where('order_id', p('orderId'))
    .whereNull('revoked_at')
    .whereRaw(ALL_BACK)
    .update({ revoked_at: p('now'), updated_at: p('now') }),
);
/**
 * Takes back the files of lines of which every unit was cancelled, or refunded by refunds that succeeded: one that is
 * under way may still fail.
 *
 * @returns how many
 */
export const revokeReturned = (ctx: Ctx, orderId: string): Promise<number> =>
  revokingBack.run(ctx.db, { orderId, now: ctx.now() });

const EXCHANGED = `order_item_id IN (SELECT r.order_item_id FROM return_items r
  JOIN order_items i ON i.id = r.order_item_id WHERE r.return_id = ? AND r.received_quantity >= i.quantity)`;
const revokingExchanged = statement<{ returnId: string; now: string }>((q, p) =>
  q(TABLE)
    .whereRaw(EXCHANGED, [p('returnId')])
    .whereNull('revoked_at')
    .update({ revoked_at: p('now'), updated_at: p('now') }),
);
/** Takes back the files of lines that came back whole with a return. @returns how many */
export const revokeExchanged = (ctx: Ctx, returnId: string): Promise<number> =>
  revokingExchanged.run(ctx.db, { returnId, now: ctx.now() });
