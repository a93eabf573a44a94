import type { Ctx } from '#kernel/context.ts';
import { readJson, writeJson } from '#kernel/db/columns.ts';
import type { Knex } from '#kernel/db/database.ts';
import { lockName } from '#kernel/db/named-lock.ts';
import { statement } from '#kernel/db/statement.ts';
import type { FailureReason } from '../outcome.ts';

const EVENTS = 'license_inbound_events';
const CLAIMS = 'license_inbound_claims';

/** What a purchase is called at the processor; null where an event does not say. */
export interface PurchaseName {
  paymentId: string | null;
  orderId: string | null;
}

/** Lets one transaction at a time look at what belongs to a payment or order: it may have come in several events. */
export async function lockPurchase(
  ctx: Ctx,
  configId: string,
  { paymentId, orderId }: PurchaseName,
): Promise<void> {
  const names = [orderId && `order:${orderId}`, paymentId && `payment:${paymentId}`];
  for (const name of names) if (name) await lockName(ctx.db, `inbound:${configId}:${name}`);
}

/** A license as a claim names it. */
export interface ClaimedLicense {
  licenseId: string;
  externalProductId: string;
}

interface ClaimKey {
  config_id: string;
  claim_key: string;
}

const insertClaim = statement<ClaimKey & { event_id: string; now: string }>((q, p) =>
  q(CLAIMS)
    .insert({ ...p.row('config_id', 'claim_key', 'event_id'), licenses: '[]', created_at: p('now') })
    .onConflict(['config_id', 'claim_key'])
    .ignore(),
);
const claimRow = statement<ClaimKey, { event_id: string; licenses: string }>((q, p) =>
  q(CLAIMS).where(p.row('config_id', 'claim_key')).select('event_id', 'licenses'),
);
const fillClaim = statement<ClaimKey & { licenses: string }>((q, p) =>
  q(CLAIMS)
    .where(p.row('config_id', 'claim_key'))
    .update({ licenses: p('licenses') }),
);

/**
 * Claims a payment for an event; on Postgres the insert waits for a rival (M5, D106).
 *
 * @returns the licenses that the event made for it before, and null when it belongs to another event
 */
export async function claim(
  ctx: Ctx,
  configId: string,
  claimKey: string,
  eventId: string,
): Promise<ClaimedLicense[] | null> {
  const key = { config_id: configId, claim_key: claimKey };
  if ((await insertClaim.run(ctx.db, { ...key, event_id: eventId, now: ctx.now() })) === 1) return [];
  const row = await claimRow.first(ctx.db, key);
  return row?.event_id === eventId ? readJson(row.licenses) : null;
}

/** Whether a payment belongs to another event already. */
export async function isClaimedByAnother(
  ctx: Ctx,
  configId: string,
  claimKey: string,
  eventId: string,
): Promise<boolean> {
  const row = await claimRow.first(ctx.db, { config_id: configId, claim_key: claimKey });
  return row !== undefined && row.event_id !== eventId;
}

/** Names the licenses that were made for a claim. */
export const writeClaim = (
  ctx: Ctx,
  configId: string,
  claimKey: string,
  licenses: readonly ClaimedLicense[],
): Promise<number> =>
  fillClaim.run(ctx.db, { config_id: configId, claim_key: claimKey, licenses: writeJson(licenses) });

interface PurchaseKey {
  config_id: string;
  payment_id: string | null;
  order_id: string | null;
}

/** Ids of the events of a payment or order: two look-ups, since for an OR SQLite reads all events of the integration. */
const eventsOfPurchase = (q: Knex, p: (name: keyof PurchaseKey) => string): Knex.QueryBuilder => {
  const of = (column: 'payment_id' | 'order_id') =>
    q(EVENTS).where('config_id', p('config_id')).where(column, p(column)).select('id');
  return of('payment_id').union(of('order_id'));
};

const claimsOfPurchase = statement<PurchaseKey, { licenses: string; payment_id: string | null }>((q, p) =>
  q(`${CLAIMS} as c`)
    .join(`${EVENTS} as e`, 'e.id', 'c.event_id')
    .whereIn('c.event_id', eventsOfPurchase(q, p))
    .select('c.licenses', 'e.payment_id'),
);

/**
 * Licenses that were made for a payment. Where no payment is named, on either side, the order stands for it: an order
 * may have been paid by several payments, of which only one is meant.
 */
export async function listLicensesOf(
  ctx: Ctx,
  configId: string,
  { paymentId, orderId }: PurchaseName,
): Promise<ClaimedLicense[]> {
  const params = { config_id: configId, payment_id: paymentId, order_id: orderId };
  const rows = await claimsOfPurchase.all(ctx.db, params);
  return rows
    .filter((row) => paymentId === null || row.payment_id === null || row.payment_id === paymentId)
    .flatMap(({ licenses }) => readJson<ClaimedLicense[]>(licenses));
}

/** Why a purchase, and nothing else, made no license. */
const PURCHASE_FAILURES: FailureReason[] = ['UNMAPPED', 'EMAIL_MISSING', 'QUANTITY'];

const settleTwins = statement<{ id: string; config_id: string; payment_id: string; now: string }>((q, p) =>
  q(EVENTS)
    .where(p.row('config_id', 'payment_id'))
    .where('status', 'FAILED')
    .whereIn('reason', PURCHASE_FAILURES)
    .whereNot('id', p('id'))
    .update({ status: 'IGNORED', reason: 'DUPLICATE_PAYMENT', processed_at: p('now') }),
);
const wakeRefunds = statement<PurchaseKey & { now: string }>((q, p) =>
  q(EVENTS)
    .whereIn('id', eventsOfPurchase(q, p))
    .where({ status: 'FAILED', reason: 'PURCHASE_UNKNOWN' })
    .update({ status: 'RECEIVED', attempts: 0, next_attempt_at: p('now') }),
);

/**
 * What other events of a purchase become once its licenses are made: those of the same payment that said too little
 * need nothing more, and a refund that came first has its purchase now.
 */
export async function settleOthers(
  ctx: Ctx,
  event: PurchaseName & { id: string; configId: string },
): Promise<void> {
  const now = ctx.now();
  const { id, configId: config_id, paymentId: payment_id, orderId: order_id } = event;
  if (payment_id !== null) await settleTwins.run(ctx.db, { id, config_id, payment_id, now });
  await wakeRefunds.run(ctx.db, { config_id, payment_id, order_id, now });
}
