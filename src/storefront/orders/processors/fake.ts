import { createHmac, timingSafeEqual } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { processorFields } from '#storefront/contract/payment-settings.ts';
import type {
  Connection,
  Notification,
  NotificationHeaders,
  Outcome,
  PayRequest,
  Processor,
  ProcessorCtx,
  RefundOutcome,
} from './contract.ts';
import { badSignature } from './errors.ts';
import { chargeOf, type FakeCharge, type FakeLedger, fakeLedger } from './fake-ledger.ts';
import { NOTHING_LOADED } from './offline.ts';

/** Source ids, each of which names what becomes of the payment (storefront-settled Z26). */
export const FAKE_SOURCES = [
  'ok',
  'declined',
  'needs_action',
  'pending',
  'captured_answer_lost',
  'slow',
  'wrong_amount',
  'refund_refused',
] as const;

/** How long `slow` thinks. */
const SLOW_MS = 3000;
/** After this, a payment that was pending has been captured. */
const PENDING_MS = 60_000;
/** Of `wrong_amount`: so much is taken beside what was asked for. */
const TOO_MUCH_CENTS = 100;
const AUTHORIZED_DAYS = 7;

const transactionOf = (paymentId: string): string => `fake_${paymentId}`;
const paymentOf = (transactionId: string): string => transactionId.replace(/^fake_/, '');

/** What the charge is by now. */
function statusOf(ctx: ProcessorCtx, ledger: FakeLedger, charge: FakeCharge): Outcome['status'] {
  const { paymentId, status, capture, createdAt } = charge;
  if (ledger.step(paymentId, 'voided')) return 'voided';
  if (ledger.step(paymentId, 'captured')) return 'captured';
  const isDone =
    (status === 'requires_action' && ledger.step(paymentId, 'confirmed') !== null) ||
    (status === 'pending' && Date.parse(ctx.now()) - Date.parse(createdAt) >= PENDING_MS);
  if (isDone) return capture ? 'captured' : 'authorized';
  return status;
}

function outcomeOf(ctx: ProcessorCtx, ledger: FakeLedger, charge: FakeCharge): Outcome {
  const { paymentId, orderId, sourceId, currency } = charge;
  const status = statusOf(ctx, ledger, charge);
  const expires = Date.parse(charge.createdAt) + AUTHORIZED_DAYS * 86_400_000;
  return {
    status,
    transactionId: transactionOf(paymentId),
    amountCents: ledger.step(paymentId, 'captured')?.amountCents ?? charge.amountCents,
    currency,
    methodLabel: 'Test card •••• 4242',
    fingerprint: `fake_${charge.card}`,
    country: 'US',
    raw: { processor: 'fake', paymentId, orderId, sourceId },
    ...(status === 'requires_action' && {
      nextAction: { kind: 'redirect' as const, url: charge.returnUrl },
    }),
    ...(status === 'declined' && { errorCode: 'card_declined', message: 'The card was declined.' }),
    ...(status === 'authorized' && { authorizationExpiresAt: new Date(expires).toISOString() }),
  };
}

const beginnings: Readonly<Record<string, FakeCharge['status']>> = {
  declined: 'declined',
  needs_action: 'requires_action',
  pending: 'pending',
};

async function pay(ctx: ProcessorCtx, ledger: FakeLedger, request: PayRequest): Promise<Outcome> {
  const sourceId = request.sourceId ?? 'needs_action';
  const isKnown = (FAKE_SOURCES as readonly string[]).includes(sourceId);
  const status = isKnown
    ? (beginnings[sourceId] ?? (request.capture ? 'captured' : 'authorized'))
    : 'declined';
  const charge = ledger.charge(chargeOf(request, { sourceId, status, createdAt: ctx.now() }));
  if (sourceId === 'slow') await wait(SLOW_MS);
  const outcome = outcomeOf(ctx, ledger, charge);
  if (sourceId === 'wrong_amount')
    return {
      ...outcome,
      amountCents: ledger.take(charge.paymentId, 'captured', charge.amountCents + TOO_MUCH_CENTS),
      status: 'captured',
    };
  if (sourceId === 'captured_answer_lost')
    return { ...outcome, status: 'pending', transactionId: null, raw: { error: 'the answer was lost' } };
  if (!isKnown) return { ...outcome, message: `Test payments know the sources ${FAKE_SOURCES.join(', ')}.` };
  return outcome;
}

function refund(
  ledger: FakeLedger,
  request: { transactionId: string; amountCents: number; currency: string; key: string },
  isAsked: boolean,
): RefundOutcome | 'unknown' {
  const { amountCents, currency, key } = request;
  const paymentId = paymentOf(request.transactionId);
  const charge = ledger.find(paymentId);
  const others = ledger.refunds(paymentId).filter((one) => one.key !== key && one.status === 'succeeded');
  const captured = ledger.step(paymentId, 'captured')?.amountCents ?? charge?.amountCents ?? 0;
  const left = captured - others.reduce((sum, one) => sum + one.amountCents, 0);
  const isRefused = charge === null || charge.sourceId === 'refund_refused' || amountCents > left;
  if (isAsked && !ledger.refunds(paymentId).some((one) => one.key === key)) return 'unknown';
  const made = ledger.refund(paymentId, {
    key,
    amountCents,
    currency,
    status: isRefused ? 'failed' : 'succeeded',
  });
  return {
    status: made.status,
    refundId: `fake_refund_${key}`,
    amountCents: made.amountCents,
    currency: made.currency,
    ...(made.status === 'failed' && { error: 'The test processor refused the refund' }),
  };
}

const SECRET = 'the test processor signs so';

/** The header that proves a notification of `fake` to be one. */
export const signFake = (rawBody: string | Buffer): Record<'x-fake-signature', string> => ({
  'x-fake-signature': createHmac('sha256', SECRET).update(rawBody).digest('hex'),
});

function verify(rawBody: Buffer, headers: NotificationHeaders): Notification {
  const given = Buffer.from(String(headers['x-fake-signature'] ?? ''));
  const right = Buffer.from(signFake(rawBody)['x-fake-signature']);
  if (given.length !== right.length || !timingSafeEqual(given, right))
    throw badSignature('x-fake-signature does not match the body');
  return {
    refundId: null,
    refundKey: null,
    errorCode: null,
    ...JSON.parse(rawBody.toString()),
    ignored: false,
  };
}

function connect(ctx: ProcessorCtx): Connection {
  const ledger = fakeLedger(ctx);
  const known = (paymentId: string): Outcome => {
    const charge = ledger.find(paymentId);
    if (charge === null) throw new Error(`the test processor has no payment ${paymentId}`);
    return outcomeOf(ctx, ledger, charge);
  };
  return {
    pay: (request) => pay(ctx, ledger, request),
    lookup: async ({ paymentId }) => (ledger.find(paymentId) === null ? 'unknown' : known(paymentId)),
    async confirm({ paymentId }) {
      ledger.take(paymentId, 'confirmed', 0);
      return known(paymentId);
    },
    async capture({ transactionId, amountCents }) {
      const paymentId = paymentOf(transactionId);
      if (known(paymentId).status === 'authorized') ledger.take(paymentId, 'captured', amountCents);
      return known(paymentId);
    },
    async void({ transactionId }) {
      const paymentId = paymentOf(transactionId);
      if (known(paymentId).status === 'captured')
        return { status: 'failed', error: 'The payment has already been captured' };
      ledger.take(paymentId, 'voided', 0);
      return { status: 'succeeded' };
    },
    refund: async (request) => refund(ledger, request, false) as RefundOutcome,
    lookupRefund: async (request) => refund(ledger, request, true),
    verify: async (rawBody, headers) => verify(rawBody, headers),
    test: async () => ({ ok: true, message: 'The test processor takes test payments. No money moves.' }),
  };
}

/** Takes no money: whoever tries the shop with `serve --dev` can pay (storefront-settled Z26). */
export const fake: Processor = {
  id: 'fake',
  name: 'Test payments',
  displayName: 'Test card',
  kind: 'card',
  capabilities: { payments: true, refunds: true, subscriptions: false, authorize: true, redirect: true },
  fields: processorFields.fake,
  client: () => ({ ...NOTHING_LOADED, config: { sources: FAKE_SOURCES.join(',') } }),
  connect: async (ctx) => connect(ctx),
};
