// Payments by PayPal through its own SDK, against a stand-in for its API on this machine.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { logTo } from '#kernel/log.ts';
import {
  type Connection,
  type Outcome,
  type PayRequest,
  type ProcessorCtx,
  processorOf,
} from '#storefront/orders/processors/index.ts';
import { connect as connectWithin } from '#storefront/orders/processors/paypal/paypal.ts';
import { testClock } from '../../support/context.ts';
import { paymentOf, processorCtx } from '../../support/processors/connect.ts';
import { PAYPAL_KEYS, PayPalServer } from '../../support/processors/paypal-server.ts';

const clock = testClock();
const lines: string[] = [];
let server: PayPalServer;
let ctx: ProcessorCtx;
let it: Connection;
beforeAll(async () => {
  server = await PayPalServer.open({ now: clock.epochMs });
  const log = logTo({ write: (line) => void lines.push(line) }, 'trace');
  ctx = processorCtx({ settings: PAYPAL_KEYS, urls: { paypal: server.url }, clock, log, mode: 'production' });
  it = await processorOf(ctx, 'paypal').connect(ctx);
});
afterAll(() => server.close());

const order = (extra: Partial<PayRequest> = {}) => paymentOf({ sourceId: null, ...extra });
const lookFor = ({ paymentId }: { paymentId: string }, transactionId: string | null = null) => ({
  paymentId,
  transactionId,
  createdAt: ctx.now(),
});
const idOf = ({ transactionId }: Outcome) => String(transactionId);
/** A payment that the buyer agreed to. */
const agreed = async (payment = order()) => {
  const transactionId = idOf(await it.pay(payment));
  server.approve(transactionId);
  return { paymentId: payment.paymentId, transactionId };
};
const last = async () => {
  const { body, headers } = server.signed(server.events.at(-1) ?? {});
  return it.verify(Buffer.from(body), headers);
};

describe('a payment', () => {
  test('is agreed to on the page of PayPal, then captured once', async () => {
    const payment = order();
    const begun = await it.pay(payment);
    expect(begun).toMatchObject({
      status: 'requires_action',
      amountCents: 1999,
      currency: 'EUR',
      nextAction: { kind: 'redirect', url: `${server.url}/pay/${begun.transactionId}` },
    });
    expect(JSON.parse(server.calls.at(-1)?.raw ?? '')).toMatchObject({
      intent: 'CAPTURE',
      purchase_units: [
        { custom_id: payment.paymentId, reference_id: payment.orderId, amount: { value: '19.99' } },
      ],
    });
    expect(server.calls.at(-1)?.headers['paypal-request-id']).toBe(payment.paymentId);
    expect(await it.pay(payment)).toEqual(begun);
    const { paymentId } = payment;
    const asked = { paymentId, transactionId: idOf(begun) };
    // Who comes back without agreeing has still to do so.
    expect(await it.confirm(asked)).toMatchObject({
      status: 'requires_action',
      nextAction: { kind: 'redirect' },
    });
    const visit = await fetch(`${server.url}/pay/${begun.transactionId}`, { redirect: 'manual' });
    expect([visit.status, visit.headers.get('location')]).toEqual([303, payment.returnUrl]);
    expect(await it.lookup(lookFor(payment, idOf(begun)))).toMatchObject({
      status: 'requires_action',
      nextAction: { kind: 'confirm' },
    });
    const done = await it.confirm(asked);
    expect(done).toMatchObject({
      status: 'captured',
      transactionId: expect.stringMatching(/^C/),
      amountCents: 1999,
      currency: 'EUR',
      methodLabel: 'PayPal',
      fingerprint: 'PAYER1',
      country: 'DE',
    });
    expect(await it.confirm(asked)).toEqual(done);
    expect(server.charges().filter((one) => one.paymentId === paymentId)).toHaveLength(1);
    for (const id of [idOf(begun), idOf(done)])
      expect(await it.lookup(lookFor(payment, id))).toMatchObject({ status: 'captured', amountCents: 1999 });
    expect(await last()).toMatchObject({
      type: 'payment.succeeded',
      transactionId: done.transactionId,
      paymentId,
      amountCents: 1999,
      currency: 'EUR',
    });
  });

  test('is declined with a reason for the buyer', async () => {
    const asked = await agreed();
    server.next('decline');
    expect(await it.confirm(asked)).toMatchObject({ status: 'declined', errorCode: 'card_declined' });
  });

  test('that is not final yet is pending until it is', async () => {
    for (const [end, status, type] of [
      ['COMPLETED', 'captured', 'payment.succeeded'],
      ['DECLINED', 'declined', 'payment.failed'],
    ] as const) {
      const asked = await agreed();
      server.next('pending');
      const waiting = await it.confirm(asked);
      expect(waiting.status).toBe('pending');
      server.finish(idOf(waiting), end);
      expect(await it.lookup(lookFor(asked, idOf(waiting)))).toMatchObject({ status });
      expect(await last()).toMatchObject({ type, paymentId: asked.paymentId });
    }
  });

  test('that is given up takes no money; one that was taken cannot be given up', async () => {
    const asked = await agreed();
    expect(await it.void({ ...asked, key: 'k' })).toEqual({ status: 'succeeded' });
    await it.confirm(asked);
    expect(await it.void({ ...asked, key: 'k' })).toMatchObject({ status: 'failed' });
  });

  test('of another amount is reported as it is', async () => {
    const asked = await agreed();
    server.next('wrong_amount');
    expect(await it.confirm(asked)).toMatchObject({ status: 'captured', amountCents: 2099 });
  });

  test.each([
    ['JPY', 1999, '1999'],
    ['HUF', 199_900, '1999'],
    ['USD', 5, '0.05'],
  ])('in %s: %d minor units are written %s', async (currency, amountCents, value) => {
    const payment = order({ currency, amountCents });
    const asked = await agreed(payment);
    const sent = JSON.parse(server.calls.findLast(({ path }) => path === '/v2/checkout/orders')?.raw ?? '');
    expect(sent.purchase_units[0].amount).toEqual({ currency_code: currency, value });
    expect(await it.confirm(asked)).toMatchObject({ status: 'captured', amountCents, currency });
    expect(await last()).toMatchObject({ amountCents, currency });
  });

  test.each([
    ['BHD', 19_990],
    ['HUF', 199_950],
  ])('in %s: %d minor units cannot be charged', async (currency, amountCents) => {
    expect(await it.pay(order({ currency, amountCents }))).toMatchObject({
      status: 'declined',
      errorCode: 'amount_not_chargeable',
    });
  });
});

describe('an answer that never came', () => {
  test('after the money was taken is found again, once', async () => {
    const asked = await agreed();
    server.next('done_then_drop');
    expect(await it.confirm(asked)).toMatchObject({ status: 'pending', transactionId: asked.transactionId });
    const found = await it.lookup(lookFor(asked, asked.transactionId));
    expect(found).toMatchObject({ status: 'captured', amountCents: 1999 });
    expect(await it.confirm(asked)).toMatchObject({ status: 'captured' });
    expect(server.charges().filter((one) => one.paymentId === asked.paymentId)).toHaveLength(1);
  });

  test.each(['drop', 'server_error', 'nonsense'] as const)(
    'because of %s is no decline, and nobody was asked for money',
    async (what) => {
      const payment = order();
      server.next(what);
      expect(await it.pay(payment)).toMatchObject({ status: 'pending', transactionId: null });
      expect(await it.lookup(lookFor(payment))).toBe('unknown');
    },
  );

  test('within the time is no decline either', async () => {
    const hasty = await connectWithin(ctx, 200);
    const asked = await agreed();
    server.next('hang');
    expect(await hasty.confirm(asked)).toMatchObject({ status: 'pending' });
    expect(await it.lookup(lookFor(asked, asked.transactionId))).toMatchObject({
      nextAction: { kind: 'confirm' },
    });
    expect(await it.lookup(lookFor(asked, 'NONE'))).toBe('unknown');
  });

  test('to a question leaves the payment pending; nobody reached is certain', async () => {
    const closed = await PayPalServer.open();
    await closed.close();
    const gone = processorCtx({ settings: PAYPAL_KEYS, urls: { paypal: closed.url }, clock });
    const away = await processorOf(gone, 'paypal').connect(gone);
    expect(await away.lookup(lookFor(order(), 'O1'))).toMatchObject({
      status: 'pending',
      transactionId: 'O1',
    });
    expect(await away.pay(order())).toMatchObject({ status: 'declined', errorCode: 'unavailable' });
  });
});

describe('a refund', () => {
  const paid = async () => {
    const asked = await agreed();
    const transactionId = idOf(await it.confirm(asked));
    const { paymentId } = asked;
    return {
      paymentId,
      transactionId,
      currency: 'EUR',
      reason: 'returned',
      amountCents: 500,
      key: `ref_${paymentId}`,
    };
  };

  test('of a part is made once for each key, never beyond what was paid', async () => {
    const request = await paid();
    const first = await it.refund(request);
    expect(first).toMatchObject({ status: 'succeeded', amountCents: 500, currency: 'EUR' });
    expect(await last()).toMatchObject({
      type: 'refund.succeeded',
      transactionId: request.transactionId,
      refundId: first.refundId,
      refundKey: request.key,
    });
    expect(await it.refund(request)).toEqual(first);
    expect(server.balanceCents(request.paymentId)).toBe(1499);
    expect(await it.refund({ ...request, amountCents: 1500, key: `${request.key}2` })).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('REFUND_AMOUNT_EXCEEDED'),
    });
  });

  test('whose answer was lost is found by its key', async () => {
    const request = await paid();
    const asked = { ...request, refundId: null, createdAt: ctx.now() };
    expect(await it.lookupRefund(asked)).toBe('unknown');
    server.next('done_then_drop');
    expect(await it.refund(request)).toMatchObject({ status: 'pending', refundId: null });
    expect(await it.lookupRefund(asked)).toMatchObject({ status: 'succeeded', amountCents: 500 });
    expect(server.balanceCents(request.paymentId)).toBe(1499);
  });

  test('that is refused later fails', async () => {
    const request = await paid();
    server.next('pending_refund');
    const { status, refundId } = await it.refund(request);
    expect(status).toBe('pending');
    server.finishRefund(String(refundId), 'FAILED');
    expect(await last()).toMatchObject({ type: 'refund.failed', refundKey: request.key });
    expect(await it.lookupRefund({ ...request, refundId, createdAt: ctx.now() })).toMatchObject({
      status: 'failed',
    });
  });
});

describe('a notification', () => {
  test.each([
    [undefined, 'dispute.opened'],
    ['RESOLVED_BUYER_FAVOUR', 'dispute.lost'],
    ['RESOLVED_SELLER_FAVOUR', 'dispute.won'],
  ])('about a dispute that is %s', async (outcome, type) => {
    const asked = await agreed();
    const transactionId = idOf(await it.confirm(asked));
    server.dispute(transactionId, outcome);
    expect(await last()).toMatchObject({
      type,
      transactionId,
      paymentId: asked.paymentId,
      amountCents: 1999,
    });
  });

  test('counts when PayPal says that it sent these bytes', async () => {
    const event = { id: 'WH-1', event_type: 'CATALOG.PRODUCT.CREATED', resource: { amount: 1.5 } };
    const { body, headers } = server.signed(event);
    expect(await it.verify(Buffer.from(body), headers)).toMatchObject({
      ignored: true,
      processorEventId: 'WH-1',
      type: 'CATALOG.PRODUCT.CREATED',
    });
    const { 'paypal-transmission-sig': _sig, ...unsigned } = headers;
    for (const [text, sent] of [
      [`${body} `, headers],
      [body.replace('WH-1', 'WH-2'), headers],
      [body, unsigned],
      [body, {}],
      [body, server.signed(event, 'WH2').headers],
      [`${body},"webhook_id":"WH2"`, headers],
      ['[]', headers],
    ] as const)
      await expect(it.verify(Buffer.from(text), sent)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  });

  test('cannot be judged while PayPal is away', async () => {
    const closed = await PayPalServer.open();
    await closed.close();
    const gone = processorCtx({ settings: PAYPAL_KEYS, urls: { paypal: closed.url }, clock });
    const away = await processorOf(gone, 'paypal').connect(gone);
    const { body, headers } = server.signed({ id: 'WH-1', event_type: 'X' });
    await expect(away.verify(Buffer.from(body), headers)).rejects.toMatchObject({ code: 'SERVER_ERROR' });
  });
});

test('the credentials are tried without a charge', async () => {
  expect(await it.test()).toEqual({ ok: true, message: expect.stringContaining('sandbox') });
  const settings = { ...PAYPAL_KEYS, paypal_client_secret: 'secret_of_nobody_0001' };
  const changed = processorCtx({ settings, urls: { paypal: server.url }, clock });
  const wrong = await processorOf(changed, 'paypal').connect(changed);
  expect(await wrong.test()).toMatchObject({
    ok: false,
    message: expect.stringContaining('does not accept'),
  });
  expect(await wrong.pay(order())).toMatchObject({ status: 'declined', errorCode: 'unavailable' });
  const none = processorCtx({});
  await expect(processorOf(none, 'paypal').connect(none)).rejects.toMatchObject({
    details: { reason: 'PAYMENT_UNAVAILABLE' },
  });
});

test('no secret and no person is in what is kept or logged', async () => {
  const asked = await agreed();
  const { raw } = await it.confirm(asked);
  const kept = JSON.stringify([raw, lines, await last()]);
  for (const hidden of ['client_secret_loopback', 'A21AA_loopback', 'ann@x.test'])
    expect(kept).not.toContain(hidden);
  expect(raw).toMatchObject({ status: 'COMPLETED' });
});
