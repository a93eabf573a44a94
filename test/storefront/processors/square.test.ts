// Payments by Square through its own SDK, against a stand-in for its API on this machine.
import { WebhooksHelper } from 'square';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { logTo } from '#kernel/log.ts';
import {
  type Connection,
  type Outcome,
  type PayRequest,
  type ProcessorCtx,
  processorOf,
} from '#storefront/orders/processors/index.ts';
import { connect as connectWithin } from '#storefront/orders/processors/square/square.ts';
import { testClock } from '../../support/context.ts';
import { paymentOf, processorCtx } from '../../support/processors/connect.ts';
import { SQUARE_KEYS, SquareServer } from '../../support/processors/square-server.ts';

const clock = testClock();
const lines: string[] = [];
const settings = { ...SQUARE_KEYS, currency_code: 'EUR' };
let server: SquareServer;
let ctx: ProcessorCtx;
let it: Connection;
beforeAll(async () => {
  server = await SquareServer.open({ now: clock.epochMs });
  const log = logTo({ write: (line) => void lines.push(line) }, 'trace');
  ctx = processorCtx({ settings, urls: { square: server.url }, clock, log, mode: 'production' });
  it = await processorOf(ctx, 'square').connect(ctx);
});
afterAll(() => server.close());

const NOTIFICATIONS = 'https://shop.x.test/api/store/payments/webhook/square';
const card = (extra: Partial<PayRequest> = {}) => paymentOf({ sourceId: 'cnon:card-nonce-ok', ...extra });
const lookFor = ({ paymentId }: { paymentId: string }, transactionId: string | null = null) => ({
  paymentId,
  transactionId,
  createdAt: ctx.now(),
});
const idOf = ({ transactionId }: Outcome) => String(transactionId);
const chargesOf = ({ paymentId }: PayRequest) =>
  server.charges().filter((one) => one.paymentId === paymentId).length;
const last = async () => {
  const { body, headers } = server.signed(server.events.at(-1) ?? {}, NOTIFICATIONS);
  return it.verify(Buffer.from(body), headers);
};

describe('a payment', () => {
  test('is captured once, names the card, and carries whose it is', async () => {
    const payment = card();
    const outcome = await it.pay(payment);
    expect(outcome).toMatchObject({
      status: 'captured',
      transactionId: expect.stringMatching(/^P/),
      amountCents: 1999,
      currency: 'EUR',
      methodLabel: 'Visa •••• 1111',
      fingerprint: 'sq-1-loopback',
    });
    expect(JSON.parse(server.calls.at(-1)?.raw ?? '')).toMatchObject({
      reference_id: payment.paymentId,
      note: payment.orderId,
      idempotency_key: payment.paymentId,
      autocomplete: true,
    });
    expect(await it.pay(payment)).toEqual(outcome);
    expect(chargesOf(payment)).toBe(1);
    expect(await last()).toMatchObject({
      type: 'payment.succeeded',
      transactionId: outcome.transactionId,
      paymentId: payment.paymentId,
      amountCents: 1999,
      currency: 'EUR',
    });
  });

  test.each([
    ['cnon:card-nonce-declined', 'card_declined'],
    ['cnon:card-nonce-rejected-cvv', 'incorrect_cvc'],
    ['cnon:card-nonce-rejected-expiration', 'expired_card'],
    ['cnon:insufficient', 'insufficient_funds'],
  ])('with %s is declined with a reason for the buyer', async (sourceId, errorCode) => {
    const payment = card({ sourceId });
    expect(await it.pay(payment)).toMatchObject({ status: 'declined', errorCode });
    expect(await it.lookup(lookFor(payment))).toMatchObject({ status: 'declined', errorCode });
    expect(await last()).toMatchObject({ type: 'payment.failed', errorCode });
    expect(chargesOf(payment)).toBe(0);
  });

  test('without a source is made on the page of Square', async () => {
    const payment = card({ sourceId: null });
    const begun = await it.pay(payment);
    expect(begun).toMatchObject({
      status: 'requires_action',
      amountCents: 1999,
      nextAction: { kind: 'redirect', url: expect.stringContaining(`${server.url}/pay/`) },
    });
    const { nextAction } = begun;
    const page = idOf(begun);
    expect(await it.lookup(lookFor(payment, page))).toMatchObject({ status: 'requires_action', nextAction });
    const url = nextAction?.kind === 'redirect' ? nextAction.url : '';
    const visit = await fetch(url, { redirect: 'manual' });
    expect([visit.status, visit.headers.get('location')]).toEqual([303, payment.returnUrl]);
    const done = { status: 'captured', transactionId: expect.stringMatching(/^P/), amountCents: 1999 };
    expect(await it.confirm({ paymentId: payment.paymentId, transactionId: page })).toMatchObject(done);
    expect(await it.lookup(lookFor(payment))).toMatchObject(done);
    expect(await last()).toMatchObject({ type: 'payment.succeeded', paymentId: payment.paymentId });
    expect(await it.void({ ...payment, transactionId: page, key: 'late' })).toMatchObject({
      status: 'failed',
    });
  });

  test('on a page that is given up can no longer be made', async () => {
    const payment = card({ sourceId: null });
    const transactionId = idOf(await it.pay(payment));
    const { paymentId } = payment;
    expect(await it.void({ paymentId, transactionId, key: 'k' })).toEqual({ status: 'succeeded' });
    expect(await it.lookup(lookFor(payment, transactionId))).toMatchObject({ status: 'voided' });
  });

  test('that is not final yet is pending until it is', async () => {
    for (const [end, status] of [
      ['COMPLETED', 'captured'],
      ['FAILED', 'declined'],
    ] as const) {
      const payment = card();
      server.next('pending');
      const begun = await it.pay(payment);
      expect(begun.status).toBe('pending');
      server.finish(idOf(begun), end);
      expect(await it.lookup(lookFor(payment))).toMatchObject({ status });
    }
  });

  test.each([
    ['JPY', 1999],
    ['BHD', 19_991],
  ])('in %s is counted in its own minor units', async (currency, amountCents) => {
    expect(await it.pay(card({ currency, amountCents }))).toMatchObject({
      status: 'captured',
      amountCents,
      currency,
    });
    expect(JSON.parse(server.calls.at(-1)?.raw ?? '').amount_money).toEqual({
      amount: amountCents,
      currency,
    });
    expect(await last()).toMatchObject({ amountCents, currency });
  });

  test('of another amount is reported as it is', async () => {
    server.next('wrong_amount');
    expect(await it.pay(card())).toMatchObject({ status: 'captured', amountCents: 2099 });
  });
});

describe('an answer that never came', () => {
  test('after the money was taken is found again, once', async () => {
    const payment = card();
    server.next('done_then_drop');
    expect(await it.pay(payment)).toMatchObject({ status: 'pending', transactionId: null });
    expect(await it.lookup(lookFor(payment))).toMatchObject({ status: 'captured', amountCents: 1999 });
    expect(chargesOf(payment)).toBe(1);
  });

  test.each(['drop', 'server_error', 'nonsense'] as const)(
    'because of %s is no decline, and Square has never seen the payment',
    async (what) => {
      const payment = card();
      server.next(what);
      expect(await it.pay(payment)).toMatchObject({ status: 'pending', transactionId: null });
      expect(await it.lookup(lookFor(payment))).toBe('unknown');
    },
  );

  test('within the time is no decline either', async () => {
    const hasty = await connectWithin(ctx, 50);
    const payment = card();
    server.next('hang');
    expect(await hasty.pay(payment)).toMatchObject({ status: 'pending' });
    expect(await it.lookup(lookFor(payment))).toBe('unknown');
  });

  test('to a question leaves the payment pending; nobody reached is certain', async () => {
    const closed = await SquareServer.open();
    await closed.close();
    const gone = processorCtx({ settings, urls: { square: closed.url }, clock });
    const away = await processorOf(gone, 'square').connect(gone);
    expect(await away.lookup(lookFor(card(), 'P1'))).toMatchObject({
      status: 'pending',
      transactionId: 'P1',
    });
    expect(await away.pay(card())).toMatchObject({ status: 'declined', errorCode: 'unavailable' });
  });
});

test('money that is held is captured in part, or given back', async () => {
  const hold = async () => {
    const { paymentId, ...rest } = card({ capture: false });
    const held = await it.pay({ paymentId, ...rest });
    expect(held).toMatchObject({ status: 'authorized', authorizationExpiresAt: '2026-03-08T12:00:00.000Z' });
    return {
      paymentId,
      transactionId: idOf(held),
      key: `${paymentId}:1`,
      currency: 'EUR',
      amountCents: 1500,
    };
  };
  const taken = await hold();
  expect(await last()).toMatchObject({ type: 'payment.authorized', paymentId: taken.paymentId });
  expect(await it.capture(taken)).toMatchObject({ status: 'captured', amountCents: 1500 });
  expect(await it.capture(taken)).toMatchObject({ status: 'captured', amountCents: 1500 });
  expect(await it.void(taken)).toMatchObject({ status: 'failed' });
  const given = await hold();
  expect(await it.void(given)).toEqual({ status: 'succeeded' });
  expect(await it.void(given)).toEqual({ status: 'succeeded' });
  expect(await it.capture(given)).toMatchObject({ status: 'voided' });
});

describe('a refund', () => {
  const paid = async () => {
    const payment = card();
    const transactionId = idOf(await it.pay(payment));
    const { paymentId } = payment;
    const key = `${paymentId}:a-long-key-of-a-refund`;
    return { paymentId, transactionId, currency: 'EUR', reason: 'returned', amountCents: 500, key };
  };

  test('of a part is made once for each key, never beyond what was paid', async () => {
    const request = await paid();
    const first = await it.refund(request);
    expect(first).toMatchObject({ status: 'succeeded', amountCents: 500, currency: 'EUR' });
    expect(await last()).toMatchObject({
      type: 'refund.succeeded',
      transactionId: request.transactionId,
      refundId: first.refundId,
      refundKey: expect.any(String),
    });
    expect(await it.refund(request)).toEqual(first);
    expect(server.balanceCents(request.paymentId)).toBe(1499);
    expect(await it.refund({ ...request, amountCents: 1500, key: `${request.key}2` })).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('REFUND_AMOUNT_INVALID'),
    });
  });

  test('whose answer was lost is found by its key', async () => {
    const request = await paid();
    const asked = { ...request, refundId: null, createdAt: ctx.now() };
    expect(await it.lookupRefund(asked)).toBe('unknown');
    server.next('done_then_drop');
    expect(await it.refund(request)).toMatchObject({ status: 'pending', refundId: null });
    expect(await it.lookupRefund(asked)).toMatchObject({ status: 'succeeded', amountCents: 500 });
  });

  test('that is refused later fails', async () => {
    const request = await paid();
    server.next('pending_refund');
    const waiting = await it.refund(request);
    expect(waiting.status).toBe('pending');
    server.finishRefund(String(waiting.refundId), 'REJECTED');
    expect(await last()).toMatchObject({ type: 'refund.failed', errorCode: 'rejected' });
    const { refundId } = waiting;
    expect(await it.lookupRefund({ ...request, refundId, createdAt: ctx.now() })).toMatchObject({
      status: 'failed',
    });
  });
});

describe('a notification', () => {
  test.each([
    ['INQUIRY_EVIDENCE_REQUIRED', true, 'dispute.opened'],
    ['WON', false, 'dispute.won'],
    ['LOST', false, 'dispute.lost'],
    ['ACCEPTED', false, 'dispute.lost'],
  ] as const)('about a dispute that is %s', async (state, isNew, type) => {
    const transactionId = idOf(await it.pay(card()));
    server.dispute(transactionId, state, isNew);
    expect(await last()).toMatchObject({ type, transactionId, amountCents: 1999 });
  });

  test('counts with the signature over the address of this shop only', async () => {
    const event = { event_id: 'ev1', type: 'customer.created', data: {} };
    const { body, headers } = server.signed(event, NOTIFICATIONS);
    expect(await it.verify(Buffer.from(body), headers)).toMatchObject({
      ignored: true,
      type: 'customer.created',
    });
    // The official SDK agrees.
    const signatureKey = SQUARE_KEYS.square_webhook_signature_key;
    const signatureHeader = headers['x-square-hmacsha256-signature'] ?? '';
    expect(
      await WebhooksHelper.verifySignature({
        requestBody: body,
        signatureHeader,
        signatureKey,
        notificationUrl: NOTIFICATIONS,
      }),
    ).toBe(true);
    for (const [text, sent] of [
      [`${body} `, headers],
      [body, {}],
      [body, server.signed(event, NOTIFICATIONS, 'a key of somebody else').headers],
      [body, server.signed(event, 'https://other.x.test/api/store/payments/webhook/square').headers],
    ] as const)
      await expect(it.verify(Buffer.from(text), sent)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  });
});

test('the keys are tried without a charge, and the location must fit the shop', async () => {
  const connected = async (other: Record<string, unknown>) => {
    const changed = processorCtx({
      settings: { ...settings, ...other },
      urls: { square: server.url },
      clock,
    });
    return processorOf(changed, 'square').connect(changed);
  };
  expect(await it.test()).toEqual({ ok: true, message: expect.stringContaining('sandbox') });
  const wrong = await connected({ square_access_token: 'EAAA_of_nobody_0000001' });
  expect(await wrong.test()).toEqual({ ok: false, message: 'Square does not accept the access token' });
  expect(await wrong.pay(card())).toMatchObject({ status: 'declined', errorCode: 'unavailable' });
  expect(await (await connected({ square_location_id: 'NOWHERE' })).test()).toMatchObject({ ok: false });
  expect(await (await connected({ currency_code: 'USD' })).test()).toMatchObject({
    ok: false,
    message: expect.stringContaining('EUR'),
  });
  await expect(connected({ square_location_id: null })).rejects.toMatchObject({
    details: { reason: 'PAYMENT_UNAVAILABLE' },
  });
});

test('no secret and no person is in what is kept or logged', async () => {
  const { raw } = await it.pay(card());
  const kept = JSON.stringify([raw, lines, await last()]);
  for (const hidden of ['EAAA_loopback', 'loopback_signature', 'ann@x.test', 'cnon:'])
    expect(kept).not.toContain(hidden);
  expect(raw).toMatchObject({ status: 'COMPLETED' });
});
