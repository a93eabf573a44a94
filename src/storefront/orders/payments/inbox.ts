import { addSeconds } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { sha256Hex } from '#kernel/crypto.ts';
import { isBusy, isUnavailable } from '#kernel/db/dialect.ts';
import { AppError } from '#kernel/errors.ts';
import { TookTooLong, within } from '#kernel/patience.ts';
import { ids } from '#storefront/contract/ids.ts';
import * as orders from '../orders/index.ts';
import {
  type IgnoredNotification,
  type Notification,
  type NotificationHeaders,
  processorOf,
} from '../processors/index.ts';
import { settleAndSend } from './charge.ts';
import type { Payment, ProcessorEvent } from './record.ts';
import { settleRefund } from './refund-sending.ts';
import { refundWhole } from './refund-whole.ts';
import * as repo from './repository.ts';
import { unknownOf } from './settle.ts';
import { paymentSpool, readReport, spoolReport } from './spool.ts';

/** Seconds until a report that could not be handled is tried again; after the last of them it has failed. */
const RETRY_SECONDS = [60, 300, 1800, 7200];
const AT_ONCE = 100;
/** A processor waits some seconds for an answer; a database that hangs must not use them up. */
const STORE_MS = 2000;
const HANDLE_MS = 8000;

/**
 * Takes a report of a processor: its signature is checked over the bytes that came, and it is stored before anything is
 * done about it. The same report again does nothing.
 *
 * @throws AppError UNAUTHORIZED for a wrong signature, so that a wrong secret shows up at the processor; NOT_FOUND for an
 *   unknown processor
 */
export async function receive(
  ctx: Ctx,
  processor: string,
  body: Buffer,
  headers: NotificationHeaders,
): Promise<void> {
  const connection = await processorOf(ctx, processor).connect(ctx);
  const report = await connection.verify(body, headers);
  const now = ctx.now();
  const row: ProcessorEvent = {
    id: ctx.newId(ids.processorEvent),
    processor,
    processorEventId: report.processorEventId,
    type: report.type,
    bodySha256: sha256Hex(body),
    body: factsOf(report),
    status: report.ignored ? 'ignored' : 'received',
    paymentId: report.ignored ? null : report.paymentId,
    attempts: 0,
    nextAttemptAt: report.ignored ? null : now,
    error: null,
    createdAt: now,
    updatedAt: now,
  };
  const isNew = await stored(ctx, row);
  if (isNew && !report.ignored) await handleNow(ctx, row.id);
}

/**
 * Stores a report; on the disk while the database is away, which is as good to the processor.
 *
 * @returns whether it is in the database, and was not before
 * @throws what the database throws when the disk takes nothing either: the processor sends it again
 */
async function stored(ctx: Ctx, row: ProcessorEvent): Promise<boolean> {
  try {
    return await within(
      STORE_MS,
      ctx.tx((ctx) => repo.insertReport(ctx, row)),
    );
  } catch (error) {
    const isAway = isUnavailable(error) || isBusy(error) || error instanceof TookTooLong;
    if (!isAway) throw error;
    // Nothing would be done about it: what is not kept of it is missed by nobody.
    if (row.status === 'ignored') return false;
    try {
      await spoolReport(ctx, row);
    } catch (cause) {
      ctx.log.error({ err: cause, processor: row.processor }, 'the report of a processor could not be kept');
      throw new AppError('INTERNAL_ERROR', 503, 'The notification could not be stored; send it again');
    }
    ctx.log.warn({ err: error, processor: row.processor }, 'the report of a processor was kept on the disk');
    return false;
  }
}

/** It is kept: whatever goes wrong from here on is made good by the job, and the processor is not asked to repeat it. */
async function handleNow(ctx: Ctx, id: string): Promise<void> {
  try {
    await within(HANDLE_MS, handle(ctx, id));
  } catch (error) {
    ctx.log.warn({ err: error, report: id }, 'the report of a processor waits to be handled');
  }
}

/** Takes the reports of this machine's disk into the database, in the order of their arrival, and handles them. */
export const ingestReports = (ctx: Ctx): Promise<Record<string, number>> =>
  paymentSpool.drain(ctx, async (ctx, text) => {
    const row = readReport(text);
    if (!row) return { taken: 'setAside', reason: 'it cannot be read' };
    const isNew = await ctx.tx((ctx) => repo.insertReport(ctx, row));
    return { taken: 'stored', ...(isNew && { done: () => handle(ctx, row.id) }) };
  });

const factsOf = (report: Notification | IgnoredNotification): Readonly<Record<string, unknown>> => ({
  ...report,
});

/**
 * Does what a stored report means. A report that cannot be handled waits, and has failed after the fifth attempt: staff
 * see it, and may try again.
 */
export async function handle(ctx: Ctx, id: string): Promise<ProcessorEvent | null> {
  const row = await ctx.tx((ctx) => repo.lockReport(ctx, id));
  if (!row || row.status === 'handled' || row.status === 'ignored') return row;
  const report = row.body as unknown as Notification;
  try {
    await act(ctx, row.processor, report);
    return await conclude(ctx, id, { status: 'handled', nextAttemptAt: null, error: null });
  } catch (error) {
    ctx.log.warn({ err: error, report: id }, 'the report of a processor could not be handled');
    const wait = RETRY_SECONDS[row.attempts];
    return conclude(ctx, id, {
      status: wait === undefined ? 'failed' : 'received',
      nextAttemptAt: wait === undefined ? null : addSeconds(ctx.now(), wait),
      error: String(error instanceof Error ? error.message : error).slice(0, 1000),
    });
  }
}

const conclude = (ctx: Ctx, id: string, changes: Partial<ProcessorEvent>): Promise<ProcessorEvent | null> =>
  ctx.tx(async (ctx) => {
    const before = await repo.lockReport(ctx, id);
    if (!before || before.status === 'handled') return before;
    const after = { ...before, ...changes, attempts: before.attempts + 1, updatedAt: ctx.now() };
    await repo.updateReport(ctx, after);
    return after;
  });

/** The payment that a report is about. */
async function paymentOf(ctx: Ctx, processor: string, report: Notification): Promise<Payment | null> {
  const { paymentId, transactionId } = report;
  const byId = paymentId === null ? null : await repo.findPayment(ctx, paymentId);
  if (byId) return byId.processor === processor ? byId : null;
  return transactionId === null ? null : repo.findByTransaction(ctx, processor, transactionId);
}

async function act(ctx: Ctx, processor: string, report: Notification): Promise<void> {
  const payment = await paymentOf(ctx, processor, report);
  // Of something that this shop did not ask for, such as a payment of another program with the same account.
  if (!payment) return;
  const about = (status: 'captured' | 'authorized' | 'declined') => ({
    ...unknownOf(payment),
    status,
    transactionId: report.transactionId ?? payment.transactionId,
    amountCents: report.amountCents,
    currency: report.currency,
    raw: report.raw,
    ...(report.errorCode !== null && { errorCode: report.errorCode }),
  });
  switch (report.type) {
    case 'payment.succeeded':
      return void (await settleAndSend(ctx, payment.id, about('captured')));
    case 'payment.authorized':
      return void (await settleAndSend(ctx, payment.id, about('authorized')));
    case 'payment.failed':
      return void (await settleAndSend(ctx, payment.id, about('declined')));
    case 'refund.succeeded':
    case 'refund.failed':
      return refunded(ctx, payment, report);
    default:
      return disputed(ctx, payment, report);
  }
}

async function refunded(ctx: Ctx, payment: Payment, report: Notification): Promise<void> {
  const all = (await repo.refundsOf(ctx, payment.orderId)).filter(
    ({ paymentId }) => paymentId === payment.id,
  );
  const named = all.find(
    ({ id, processorRefundId }) =>
      (report.refundKey !== null && report.refundKey.split(':')[0] === id) ||
      (report.refundId !== null && processorRefundId === report.refundId),
  );
  const waiting = all.filter(
    ({ status, amountCents }) => status === 'pending' && amountCents === report.amountCents,
  );
  const refund = named ?? (waiting.length === 1 ? waiting[0] : undefined);
  if (!refund) return;
  const status = report.type === 'refund.succeeded' ? 'succeeded' : 'failed';
  const error = report.errorCode === null ? {} : { error: report.errorCode };
  await ctx.tx((ctx) => settleRefund(ctx, refund.id, { status, refundId: report.refundId, ...error }));
}

/** A buyer disputes a payment at the bank: goods that are still here stay here. */
async function disputed(ctx: Ctx, payment: Payment, report: Notification): Promise<void> {
  await ctx.tx(async (ctx) => {
    const order = (await orders.lockOrder(ctx, payment.orderId)) as orders.Order;
    const noted = {
      type: 'payment',
      body: disputeWords[report.type as keyof typeof disputeWords] ?? null,
      data: { dispute: report.type, payment_id: payment.id, amount_cents: report.amountCents },
    } as const;
    const how = report.type.slice('dispute.'.length) as 'opened' | 'won' | 'lost';
    const { dispute } = (await repo.lockPayment(ctx, payment.id)) as Payment;
    // Reports may come in another order than they were made: what was decided stays decided.
    if (how === 'opened' && dispute !== null && dispute !== 'open')
      return void (await orders.note(ctx, order.id, noted));
    await repo.noteDispute(ctx, payment.id, how === 'opened' ? 'open' : how);
    await orders.orderEvents.tell(ctx, 'order.disputed', order.id, { paymentId: payment.id, how });
    if (report.type === 'dispute.opened' && order.status === 'processing') {
      const after = await orders.transition(ctx, order, 'hold', { holdReason: 'dispute' }, noted);
      return orders.tell(ctx, 'order.updated', after, order);
    }
    if (report.type === 'dispute.won' && order.status === 'on_hold' && order.holdReason === 'dispute') {
      const trigger = order.paymentStatus === 'unpaid' ? 'release_unpaid' : 'release';
      const after = await orders.transition(ctx, order, trigger, { holdReason: null }, noted);
      return orders.tell(ctx, 'order.updated', after, order);
    }
    await orders.note(ctx, order.id, noted);
    if (report.type === 'dispute.lost') await chargedBack(ctx, order, payment);
  });
}

const disputeWords = {
  'dispute.opened': 'The buyer disputed this payment at the bank. Respond to the dispute at the processor.',
  'dispute.won': 'The dispute was won.',
  'dispute.lost': 'The dispute was lost. The bank took the money back.',
} as const;

/** The bank has taken the money already: the refund is written as done. */
async function chargedBack(ctx: Ctx, order: orders.Order, payment: Payment): Promise<void> {
  const fresh = (await repo.lockPayment(ctx, payment.id)) as Payment;
  const refund = await refundWhole(ctx, order, fresh, 'chargeback');
  if (refund) await settleRefund(ctx, refund.id, { status: 'succeeded', refundId: null });
}

/** Handles the reports that wait, each by itself. */
export async function handleWaiting(ctx: Ctx): Promise<{ handled: number; failed: number }> {
  let [handled, failed] = [0, 0];
  for (const id of await repo.listWaiting(ctx, ctx.now(), AT_ONCE)) {
    const row = await handle(ctx, id);
    if (row?.status === 'handled') handled += 1;
    else failed += 1;
  }
  return { handled, failed };
}
