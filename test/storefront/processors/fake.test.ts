// The processor for trying the shop: each source id is one fate of a payment, and what it says stays said.
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Connection, processorOf, signFake } from '#storefront/orders/processors/index.ts';
import { testClock } from '../../support/context.ts';
import { paymentOf, processorCtx } from '../../support/processors/connect.ts';
import { scratchFolder } from '../../support/scratch-folder.ts';

let dataDir: string;
const clock = testClock();
const connect = (): Promise<Connection> => {
  const ctx = processorCtx({ dataDir, clock });
  return processorOf(ctx, 'fake').connect(ctx);
};
beforeAll(() => {
  dataDir = scratchFolder('appctl-fake-');
});
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

const lookFor = ({ paymentId }: { paymentId: string }) => ({
  paymentId,
  transactionId: null,
  createdAt: '2026-03-01T12:00:00.000Z',
});

describe('a payment', () => {
  test('of the source ok is captured once, however often it is asked for, and by whichever process', async () => {
    const payment = paymentOf();
    const [one, other] = [await connect(), await connect()];
    const first = await one.pay(payment);
    expect(first).toMatchObject({ status: 'captured', amountCents: 1999, currency: 'EUR', country: 'US' });
    expect(await other.pay({ ...payment, amountCents: 5 })).toEqual(first);
    expect(await other.lookup(lookFor(payment))).toEqual(first);
  });

  test('of the source declined says why, and an unknown source is declined too', async () => {
    const it = await connect();
    const declined = await it.pay(paymentOf({ sourceId: 'declined' }));
    expect(declined).toMatchObject({ status: 'declined', errorCode: 'card_declined' });
    const unknown = await it.pay(paymentOf({ sourceId: 'visa' }));
    expect(unknown).toMatchObject({ status: 'declined', message: expect.stringContaining('needs_action') });
  });

  test.each(['needs_action', null])(
    'of the source %s is captured after the buyer came back',
    async (sourceId) => {
      const it = await connect();
      const payment = paymentOf({ sourceId });
      const begun = await it.pay(payment);
      expect(begun).toMatchObject({
        status: 'requires_action',
        nextAction: { kind: 'redirect', url: payment.returnUrl },
      });
      expect(await it.lookup(lookFor(payment))).toEqual(begun);
      const { paymentId } = payment;
      const done = await it.confirm({ paymentId, transactionId: String(begun.transactionId) });
      expect(done).toMatchObject({ status: 'captured', amountCents: 1999 });
      expect(await it.lookup(lookFor(payment))).toEqual(done);
    },
  );

  test('of the source pending is captured a minute later', async () => {
    const it = await connect();
    const payment = paymentOf({ sourceId: 'pending' });
    expect(await it.pay(payment)).toMatchObject({ status: 'pending' });
    expect(await it.lookup(lookFor(payment))).toMatchObject({ status: 'pending' });
    clock.advance(60);
    expect(await it.lookup(lookFor(payment))).toMatchObject({ status: 'captured' });
  });

  test('of the source captured_answer_lost is found again', async () => {
    const it = await connect();
    const payment = paymentOf({ sourceId: 'captured_answer_lost' });
    expect(await it.lookup(lookFor(payment))).toBe('unknown');
    expect(await it.pay(payment)).toMatchObject({ status: 'pending', transactionId: null });
    expect(await it.lookup(lookFor(payment))).toMatchObject({ status: 'captured', amountCents: 1999 });
  });

  test('of the source wrong_amount takes more than was asked for', async () => {
    const it = await connect();
    const payment = paymentOf({ sourceId: 'wrong_amount' });
    expect(await it.pay(payment)).toMatchObject({ status: 'captured', amountCents: 2099 });
    expect(await it.lookup(lookFor(payment))).toMatchObject({ status: 'captured', amountCents: 2099 });
  });

  test('that is authorized is captured in part, or voided, never both', async () => {
    const it = await connect();
    const hold = async () => {
      const payment = paymentOf({ capture: false });
      const { status, transactionId, authorizationExpiresAt } = await it.pay(payment);
      expect(status).toBe('authorized');
      expect(authorizationExpiresAt).toMatch(/^2026-03-08T/);
      return { paymentId: payment.paymentId, transactionId: String(transactionId), key: 'k' };
    };
    const taken = await hold();
    const part = { ...taken, amountCents: 1500, currency: 'EUR' };
    expect(await it.capture(part)).toMatchObject({ status: 'captured', amountCents: 1500 });
    expect(await it.capture({ ...part, amountCents: 1999 })).toMatchObject({ amountCents: 1500 });
    expect(await it.void(taken)).toMatchObject({ status: 'failed' });
    const given = await hold();
    expect(await it.void(given)).toEqual({ status: 'succeeded' });
    expect(await it.capture({ ...part, ...given })).toMatchObject({ status: 'voided' });
  });
});

describe('a refund', () => {
  const paid = async (it: Connection, sourceId = 'ok') => {
    const payment = paymentOf({ sourceId });
    const { transactionId } = await it.pay(payment);
    const { paymentId } = payment;
    return { paymentId, transactionId: String(transactionId), currency: 'EUR', reason: 'asked for' };
  };

  test('is made once for each key and never beyond what was taken', async () => {
    const it = await connect();
    const payment = await paid(it);
    const part = { ...payment, amountCents: 1000, key: 'ref_1' };
    const first = await it.refund(part);
    expect(first).toMatchObject({ status: 'succeeded', amountCents: 1000, currency: 'EUR' });
    expect(await it.refund(part)).toEqual(first);
    const seen = { ...part, refundId: null, createdAt: '2026-03-01T12:00:00.000Z' };
    expect(await it.lookupRefund(seen)).toEqual(first);
    expect(await it.lookupRefund({ ...seen, key: 'ref_9' })).toBe('unknown');
    const more = { ...payment, amountCents: 1000, key: 'ref_2' };
    expect(await it.refund(more)).toMatchObject({ status: 'failed' });
    expect(await it.refund({ ...more, amountCents: 999, key: 'ref_3' })).toMatchObject({
      status: 'succeeded',
    });
  });

  test('of the source refund_refused fails', async () => {
    const it = await connect();
    const refused = await it.refund({ ...(await paid(it, 'refund_refused')), amountCents: 1, key: 'ref_1' });
    expect(refused).toMatchObject({ status: 'failed', error: expect.stringContaining('refused') });
  });
});

test('a notification counts with its signature only', async () => {
  const it = await connect();
  const body = Buffer.from(
    JSON.stringify({ processorEventId: 'evt_1', type: 'payment.succeeded', amountCents: 1, currency: 'EUR' }),
  );
  expect(await it.verify(body, signFake(body))).toMatchObject({ ignored: false, type: 'payment.succeeded' });
  for (const headers of [{}, signFake('other'), { 'x-fake-signature': 'x' }])
    await expect(it.verify(body, headers)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
});
