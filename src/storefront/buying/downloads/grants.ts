import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { fail } from '#kernel/service/errors.ts';
import { ids } from '#storefront/contract/ids.ts';
import { findOrder, isDeliverable } from '#storefront/orders/orders/index.ts';
import { findGrant, grantOfCustomer, grantsOf, type HeldGrant, type SoldFile, soldFiles } from './queries.ts';
import type { DownloadGrant } from './record.ts';
import * as repo from './repository.ts';

/**
 * Gives whoever bought an order its files, in the transaction that has its money (fulfilment 9). What was given before
 * stays as it is, however often it is told that the order is paid. An order without files costs one question.
 */
export async function grantPaid(ctx: Ctx, orderId: string): Promise<void> {
  const files = await soldFiles(ctx, orderId);
  if (files.length === 0) return;
  await repo.insertGrants(
    ctx,
    files.map((file) => grantOf(ctx, orderId, file)),
  );
}

/** Gives the files of lines that staff added to an order that was paid before, once nothing of it is due. */
export async function grantAmended(ctx: Ctx, orderId: string): Promise<void> {
  const order = await findOrder(ctx, orderId);
  if (order && isDeliverable(order)) await grantPaid(ctx, orderId);
}

/** Forgets the files of lines that staff take out of an order. */
export const forgetLines = (ctx: Ctx, itemIds: readonly string[]): Promise<void> =>
  repo.deleteOfLines(ctx, itemIds);

function grantOf(ctx: Ctx, orderId: string, file: SoldFile): DownloadGrant {
  const now = ctx.now();
  return {
    id: ctx.newId(ids.downloadGrant),
    orderId,
    orderItemId: file.order_item_id,
    digitalFileId: file.digital_file_id,
    kind: file.kind,
    fileName: file.name,
    storageKey: file.storage_key,
    // Postgres answers large integers as texts.
    bytes: Number(file.bytes),
    sha256: file.sha256,
    releaseChannel: file.release_channel,
    downloadsUsed: 0,
    maxDownloads: file.max_downloads,
    expiresAt: file.expires_days === null ? null : addSeconds(now, file.expires_days * SECONDS_PER_DAY),
    revokedAt: null,
    lastDownloadAt: null,
    createdAt: now,
    updatedAt: now,
  };
}

/** Takes all files of an order back: it was cancelled, or the bank took its money. */
export const revokeAll = (ctx: Ctx, orderId: string): Promise<number> => repo.revokeAll(ctx, orderId);

/** Takes the files of lines back of which every unit was exchanged by a return. */
export const revokeExchanged = (ctx: Ctx, returnId: string): Promise<number> =>
  repo.revokeExchanged(ctx, returnId);

/** Takes the files of lines back of which every unit was refunded or cancelled; those of other lines stay. */
export const revokeRefunded = (ctx: Ctx, orderId: string): Promise<number> =>
  repo.revokeReturned(ctx, orderId);

const missing = (id: string) => fail('NOT_FOUND', `download ${id} does not exist`);

/** A file that a customer has bought. @throws AppError NOT_FOUND, the same for somebody else's and for an unknown one */
export async function customersGrant(ctx: Ctx, customerId: string, id: string): Promise<HeldGrant> {
  const grant = await grantOfCustomer(ctx, customerId, id);
  if (grant) return grant;
  throw missing(id);
}

/** A file of an order. @throws AppError NOT_FOUND, the same for one of another order and for an unknown one */
export async function ordersGrant(ctx: Ctx, orderId: string, id: string): Promise<HeldGrant> {
  const grant = await findGrant(ctx, id);
  if (grant?.orderId === orderId && grant.revokedAt === null) return grant;
  throw missing(id);
}

/** The files of an order that its buyer may have. */
export const liveGrantsOf = async (ctx: Ctx, orderId: string): Promise<HeldGrant[]> =>
  (await grantsOf(ctx, orderId)).filter(({ revokedAt }) => revokedAt === null);
