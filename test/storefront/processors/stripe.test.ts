// Payments by Stripe through its own SDK, against a stand-in for its API on this machine.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { logTo } from '#kernel/log.ts';
import {
  type Connection,
  type Outcome,
  type PayRequest,
  type ProcessorCtx,
  processorOf,
} from '#storefront/orders/processors/index.ts';
import { connect as connectWithin } from '#storefront/orders/processors/stripe/stripe.ts';
import { testClock } from '../../support/context.ts';
import { paymentOf, processorCtx } from '../../support/processors/connect.ts';
import { STRIPE_KEYS, StripeServer } from '../../support/processors/stripe-server.ts';

const clock = testClock();
const lines: string[] = [];
let server: StripeServer;
let ctx: ProcessorCtx;
let it: Connection;
beforeAll(async () => {
  server = await StripeServer.open({ now: clock.epochMs });
  const log = logTo({ write: (line) => void lines.push(line) }, 'trace');
  ctx = processorCtx({ settings: STRIPE_KEYS, urls: { stripe: server.url }, clock, log, mode: 'production' });
  it = await processorOf(ctx, 'stripe').connect(ctx);
});
afterAll(() => server.close());

const card = (extra: Partial<PayRequest> = {}) => paymentOf({ sourceId: 'pm_card_visa', ...extra });
const lookFor = ({ paymentId }: PayRequest, transactionId: string | null = null) => ({
  paymentId,
  transactionId,
  createdAt: ctx.now(),
});
const idOf = ({ transactionId }: Outcome) => String(transactionId);
const chargesOf = ({ paymentId }: PayRequest) =>
  server.charges().filter((one) => one.paymentId === paymentId).length;

describe('a payment', () => {
  test('is captured, names the card, and carries whose it is', async () => {
    const payment = card();
    const outcome = await it.pay(payment);
    expect(outcome).toMatchObject({
      status: 'captured',
      transactionId: expect.stringMatching(/^pi_/),
      amountCents: 1999,
      currency: 'EUR',
      methodLabel: 'Visa •••• 4242',
      fingerprint: 'Xt5EWLLDS7FJjR1c',
      country: 'US',
    });
    const sent = new URLSearchParams(server.calls.at(-1)?.raw);
    expect(Object.fromEntries(sent)).toMatchObject({
      'metadata[payment_id]': payment.paymentId,
      'metadata[order_id]': payment.orderId,
      'metadata[source]': 'appctl-store',
      return_url: payment.returnUrl,
    });
    expect(server.calls.at(-1)?.headers['idempotency-key']).toBe(payment.paymentId);
  });

  test('that is asked for again is one charge', async () => {
    const payment = card();
    const first = await it.pay(payment);
    expect(await it.pay(payment)).toEqual(first);
    expect(chargesOf(payment)).toBe(1);
    // With another amount it is another payment under the same key: nobody knows, so the lookup decides.
    expect(await it.pay({ ...payment, amountCents: 5000 })).toMatchObject({ status: 'pending' });
    expect(await it.lookup(lookFor(payment))).toMatchObject({ status: 'captured', amountCents: 1999 });
  });

  test.each([
    ['pm_card_chargeDeclined', 'card_declined'],
    ['pm_card_chargeDeclinedInsufficientFunds', 'insufficient_funds'],
    ['pm_card_chargeDeclinedExpiredCard', 'expired_card'],
    ['pm_card_chargeDeclinedIncorrectCvc', 'incorrect_cvc'],
  ])('with %s is declined with a reason for the buyer', async (sourceId, errorCode) => {
    const payment = card({ sourceId });
    const outcome = await it.pay(payment);
    expect(outcome).toMatchObject({
      status: 'declined',
      errorCode,
      message: expect.stringMatching(/\.$/),
      transactionId: expect.stringMatching(/^pi_/),
    });
    expect(await it.lookup(lookFor(payment))).toMatchObject({ status: 'declined', errorCode });
    expect(chargesOf(payment)).toBe(0);
  });

  test('that needs proof is finished at the bank, or not', async () => {
    for (const [isProven, status] of [
      [true, 'captured'],
      [false, 'declined'],
    ] as const) {
      const payment = card({ sourceId: 'pm_card_authenticationRequired' });
      const begun = await it.pay(payment);
      expect(begun).toMatchObject({
        status: 'requires_action',
        nextAction: { kind: 'redirect', url: `${server.url}/3ds/${begun.transactionId}` },
      });
      expect(await it.lookup(lookFor(payment))).toMatchObject({ status: 'requires_action' });
      server.authenticate(idOf(begun), isProven);
      const { paymentId } = payment;
      const ended = await it.confirm({ paymentId, transactionId: idOf(begun) });
      expect(ended).toMatchObject({
        status,
        ...(isProven ? {} : { errorCode: 'authentication_failed' }),
      });
    }
  });

  test('without a source is made on the page of Stripe', async () => {
    const payment = card({ sourceId: null });
    const begun = await it.pay(payment);
    const page = idOf(begun);
    expect(begun).toMatchObject({
      status: 'requires_action',
      transactionId: expect.stringMatching(/^cs_/),
      amountCents: 1999,
      nextAction: { kind: 'redirect', url: `${server.url}/pay/${page}` },
    });
    expect(await it.lookup(lookFor(payment))).toMatchObject({
      status: 'requires_action',
      transactionId: page,
    });
    const visit = await fetch(`${server.url}/pay/${page}`, { redirect: 'manual' });
    expect([visit.status, visit.headers.get('location')]).toEqual([303, payment.returnUrl]);
    const done = { status: 'captured', transactionId: expect.stringMatching(/^pi_/), amountCents: 1999 };
    expect(await it.confirm({ paymentId: payment.paymentId, transactionId: page })).toMatchObject(done);
    expect(await it.lookup(lookFor(payment, page))).toMatchObject(done);
    expect(await it.lookup(lookFor(payment))).toMatchObject(done);
    expect(chargesOf(payment)).toBe(1);
  });

  test('on a page that is given up can no longer be made', async () => {
    const payment = card({ sourceId: null });
    const transactionId = idOf(await it.pay(payment));
    const { paymentId } = payment;
    expect(await it.void({ paymentId, transactionId, key: `${paymentId}:void` })).toEqual({
      status: 'succeeded',
    });
    expect(await it.lookup(lookFor(payment, transactionId))).toMatchObject({ status: 'voided' });
  });

  test('that is not final yet is pending until it is', async () => {
    for (const isGood of [true, false]) {
      const payment = card();
      server.next('pending');
      const begun = await it.pay(payment);
      expect(begun).toMatchObject({ status: 'pending' });
      server.finish(idOf(begun), isGood);
      expect(await it.lookup(lookFor(payment, idOf(begun)))).toMatchObject({
        status: isGood ? 'captured' : 'declined',
      });
    }
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
    const found = await it.lookup(lookFor(payment));
    expect(found).toMatchObject({ status: 'captured', amountCents: 1999, methodLabel: 'Visa •••• 4242' });
    expect(await it.pay(payment)).toEqual(found);
    expect(chargesOf(payment)).toBe(1);
  });

  test.each(['drop', 'server_error', 'nonsense'] as const)(
    'because of %s is no decline, and Stripe has never seen the payment',
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
    expect(await hasty.pay(payment)).toMatchObject({
      status: 'pending',
      raw: { error: expect.stringContaining('timeout') },
    });
    expect(await it.lookup(lookFor(payment))).toBe('unknown');
  });

  test('to a question leaves the payment pending', async () => {
    const gone = processorCtx({ settings: STRIPE_KEYS, urls: { stripe: 'http://127.0.0.1:1' }, clock });
    const away = await processorOf(gone, 'stripe').connect(gone);
    expect(await away.lookup(lookFor(card(), 'pi_1'))).toMatchObject({
      status: 'pending',
      transactionId: 'pi_1',
    });
    // Nobody was reached: it is certain that nothing was taken.
    expect(await away.pay(card())).toMatchObject({ status: 'declined', errorCode: 'unavailable' });
  });
});

describe('money that is held', () => {
  const hold = async () => {
    const payment = card({ capture: false });
    const held = await it.pay(payment);
    expect(held).toMatchObject({
      status: 'authorized',
      amountCents: 1999,
      authorizationExpiresAt: '2026-03-08T12:00:00.000Z',
    });
    const { paymentId } = payment;
    return {
      paymentId,
      transactionId: idOf(held),
      key: `${paymentId}:1`,
      currency: 'EUR',
      amountCents: 1500,
    };
  };

  test('is captured in part; the rest is given back', async () => {
    const held = await hold();
    expect(await it.capture(held)).toMatchObject({ status: 'captured', amountCents: 1500 });
    expect(server.balanceCents(held.paymentId)).toBe(1500);
    // Again, with the same key and with another one: it is captured already.
    expect(await it.capture(held)).toMatchObject({ status: 'captured', amountCents: 1500 });
    expect(await it.capture({ ...held, key: `${held.paymentId}:other` })).toMatchObject({
      status: 'captured',
      amountCents: 1500,
      message: expect.stringContaining('unexpected_state'),
    });
    expect(await it.void({ ...held, key: `${held.paymentId}:void` })).toMatchObject({ status: 'failed' });
  });

  test('is given back, once and for all', async () => {
    const held = await hold();
    expect(await it.void(held)).toEqual({ status: 'succeeded' });
    expect(await it.void({ ...held, key: `${held.paymentId}:again` })).toEqual({ status: 'succeeded' });
    expect(await it.capture({ ...held, key: `${held.paymentId}:late` })).toMatchObject({ status: 'voided' });
    expect(server.balanceCents(held.paymentId)).toBe(0);
  });

  test('of which nobody knows whether it was captured is looked up', async () => {
    const held = await hold();
    server.next('done_then_drop');
    expect(await it.capture(held)).toMatchObject({ status: 'pending', transactionId: held.transactionId });
    const { paymentId, transactionId } = held;
    expect(await it.lookup({ paymentId, transactionId, createdAt: ctx.now() })).toMatchObject({
      status: 'captured',
      amountCents: 1500,
    });
  });
});

describe('a refund', () => {
  const paid = async () => {
    const payment = card();
    const transactionId = idOf(await it.pay(payment));
    const { paymentId } = payment;
    return {
      paymentId,
      transactionId,
      currency: 'EUR',
      reason: 'returned',
      amountCents: 500,
      key: `${paymentId}:r1`,
    };
  };
  const seen = (request: Awaited<ReturnType<typeof paid>>, refundId: string | null = null) => ({
    ...request,
    refundId,
    createdAt: ctx.now(),
  });

  test('of a part is made once for each key', async () => {
    const request = await paid();
    const first = await it.refund(request);
    expect(first).toEqual({
      status: 'succeeded',
      refundId: expect.stringMatching(/^re_/),
      amountCents: 500,
      currency: 'EUR',
    });
    expect(await it.refund(request)).toEqual(first);
    expect(server.balanceCents(request.paymentId)).toBe(1499);
    expect(await it.refund({ ...request, amountCents: 1499, key: `${request.paymentId}:r2` })).toMatchObject({
      status: 'succeeded',
    });
    expect(server.balanceCents(request.paymentId)).toBe(0);
    expect(await it.refund({ ...request, amountCents: 1, key: `${request.paymentId}:r3` })).toMatchObject({
      status: 'failed',
      refundId: null,
      error: expect.stringContaining('greater than'),
    });
  });

  test('whose answer was lost is found by its key', async () => {
    const request = await paid();
    server.next('done_then_drop');
    expect(await it.refund(request)).toMatchObject({ status: 'pending', refundId: null });
    expect(await it.lookupRefund(seen(request))).toMatchObject({ status: 'succeeded', amountCents: 500 });
    expect(server.balanceCents(request.paymentId)).toBe(1499);
    server.next('drop');
    const other = { ...request, key: `${request.paymentId}:r2` };
    expect(await it.refund(other)).toMatchObject({ status: 'pending' });
    expect(await it.lookupRefund(seen(other))).toBe('unknown');
    expect(await it.lookupRefund(seen(other, 're_none'))).toBe('unknown');
  });

  test('that the bank refuses fails, at once or later', async () => {
    const request = await paid();
    server.next('fail_refund');
    expect(await it.refund(request)).toMatchObject({ status: 'failed' });
    server.next('pending_refund');
    const waiting = await it.refund({ ...request, key: `${request.paymentId}:r2` });
    expect(waiting).toMatchObject({ status: 'pending', refundId: expect.stringMatching(/^re_/) });
    server.finishRefund(String(waiting.refundId), false);
    expect(await it.lookupRefund(seen(request, waiting.refundId))).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('declined'),
    });
    expect(server.balanceCents(request.paymentId)).toBe(1999);
  });
});

describe('amounts are counted as Stripe counts them', () => {
  test.each([
    ['JPY', 1999, 1999],
    ['USD', 1999, 1999],
    ['BHD', 19_990, 19_990],
    ['ISK', 1999, 199_900],
    ['UGX', 1999, 199_900],
    ['MGA', 199_900, 1999],
  ])('%s: %d minor units are %d', async (currency, amountCents, units) => {
    const payment = card({ currency, amountCents });
    expect(await it.pay(payment)).toMatchObject({ status: 'captured', amountCents, currency });
    expect(new URLSearchParams(server.calls.at(-1)?.raw).get('amount')).toBe(String(units));
  });

  test.each([
    ['BHD', 19_991],
    ['MGA', 199_950],
    ['EUR', 10],
  ])('%s: %d minor units cannot be charged', async (currency, amountCents) => {
    const payment = card({ currency, amountCents });
    expect(await it.pay(payment)).toMatchObject({ status: 'declined', errorCode: 'amount_not_chargeable' });
    expect(chargesOf(payment)).toBe(0);
  });
});

describe('the keys', () => {
  const withKeys = async (keys: Partial<typeof STRIPE_KEYS>) => {
    const other = processorCtx({
      settings: { ...STRIPE_KEYS, ...keys },
      urls: { stripe: server.url },
      clock,
    });
    return processorOf(other, 'stripe').connect(other);
  };

  test('are tried without a charge', async () => {
    expect(await it.test()).toEqual({ ok: true, message: expect.stringContaining('test mode') });
    const wrong = await withKeys({ stripe_secret_key: 'sk_test_of_nobody_0001' });
    expect(await wrong.test()).toEqual({ ok: false, message: 'Stripe does not accept the secret key' });
    expect(await wrong.pay(card())).toMatchObject({ status: 'declined', errorCode: 'unavailable' });
    const mixed = await withKeys({ stripe_publishable_key: 'pk_live_loopback' });
    expect(await mixed.test()).toMatchObject({ ok: false, message: expect.stringContaining('live mode') });
  });

  test('are needed', async () => {
    const none = processorCtx({});
    await expect(processorOf(none, 'stripe').connect(none)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { reason: 'PAYMENT_UNAVAILABLE' },
    });
  });

  test('that the browser gets are public, and its script has the origins it needs', () => {
    const real = processorCtx({ settings: STRIPE_KEYS });
    const { config, csp, scriptUrl } = processorOf(real, 'stripe').client(real);
    expect(config).toEqual({ publishable_key: 'pk_test_loopback' });
    expect(scriptUrl).toBe('https://js.stripe.com/v3/');
    expect(csp.scripts).toContain('https://js.stripe.com');
    expect(csp.frames).toContain('https://hooks.stripe.com');
  });
});

test('no secret and no person is in what is kept or logged', async () => {
  const outcomes = [await it.pay(card()), await it.pay(card({ sourceId: 'pm_card_authenticationRequired' }))];
  const kept = JSON.stringify([...outcomes.map(({ raw }) => raw), lines]);
  for (const hidden of ['never_kept', 'sk_test_loopback', 'whsec_loopback', 'ann@x.test'])
    expect(kept).not.toContain(hidden);
  expect(outcomes[0]?.raw).toMatchObject({ status: 'succeeded', metadata: { source: 'appctl-store' } });
});
