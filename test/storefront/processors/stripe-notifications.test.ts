// What Stripe reports by itself: believed by its signature alone, and read in the words that all processors share.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Connection,
  type PayRequest,
  type ProcessorCtx,
  processorOf,
} from '#storefront/orders/processors/index.ts';
import { testClock } from '../../support/context.ts';
import { paymentOf, processorCtx } from '../../support/processors/connect.ts';
import { STRIPE_KEYS, StripeServer } from '../../support/processors/stripe-server.ts';

const clock = testClock();
let server: StripeServer;
let ctx: ProcessorCtx;
let it: Connection;
beforeAll(async () => {
  server = await StripeServer.open({ now: clock.epochMs });
  ctx = processorCtx({ settings: STRIPE_KEYS, urls: { stripe: server.url }, clock });
  it = await processorOf(ctx, 'stripe').connect(ctx);
});
afterAll(() => server.close());

const card = (extra: Partial<PayRequest> = {}) => paymentOf({ sourceId: 'pm_card_visa', ...extra });

/** What the last event says. */
async function last() {
  const { body, headers } = server.signed(server.events.at(-1) ?? {});
  return it.verify(Buffer.from(body), headers);
}

describe('a notification about', () => {
  test('a payment that succeeded names it, its payment and its amount', async () => {
    const payment = card({ currency: 'JPY', amountCents: 1999 });
    const { transactionId } = await it.pay(payment);
    expect(await last()).toMatchObject({
      ignored: false,
      processorEventId: expect.stringMatching(/^evt_/),
      type: 'payment.succeeded',
      transactionId,
      paymentId: payment.paymentId,
      amountCents: 1999,
      currency: 'JPY',
      refundId: null,
    });
  });

  test('a payment that is held, given up or declined', async () => {
    const payment = card({ capture: false });
    const { transactionId } = await it.pay(payment);
    const named = { transactionId, paymentId: payment.paymentId, amountCents: 1999, currency: 'EUR' };
    expect(await last()).toMatchObject({ type: 'payment.authorized', ...named });
    await it.void({ paymentId: payment.paymentId, transactionId: String(transactionId), key: 'k' });
    expect(await last()).toMatchObject({ type: 'payment.failed', errorCode: 'canceled', ...named });
    await it.pay(card({ sourceId: 'pm_card_chargeDeclinedInsufficientFunds' }));
    expect(await last()).toMatchObject({ type: 'payment.failed', errorCode: 'insufficient_funds' });
  });

  test('a page that nobody paid on', async () => {
    const payment = card({ sourceId: null });
    const { transactionId } = await it.pay(payment);
    await it.void({ paymentId: payment.paymentId, transactionId: String(transactionId), key: 'k2' });
    expect(await last()).toMatchObject({
      type: 'payment.failed',
      transactionId,
      paymentId: payment.paymentId,
      errorCode: 'canceled',
    });
  });

  test('a refund names its key', async () => {
    const payment = card();
    const { paymentId } = payment;
    const transactionId = String((await it.pay(payment)).transactionId);
    const request = { paymentId, transactionId, currency: 'EUR', reason: '', amountCents: 500, key: 'ref_1' };
    const { refundId } = await it.refund(request);
    const named = { transactionId, paymentId, amountCents: 500, currency: 'EUR' };
    expect(await last()).toMatchObject({ type: 'refund.succeeded', refundId, refundKey: 'ref_1', ...named });
    server.next('pending_refund');
    const waiting = await it.refund({ ...request, key: 'ref_2' });
    server.finishRefund(String(waiting.refundId), false);
    expect(await last()).toMatchObject({
      type: 'refund.failed',
      refundKey: 'ref_2',
      errorCode: 'declined',
      ...named,
    });
  });

  test.each([
    [undefined, 'dispute.opened'],
    ['won', 'dispute.won'],
    ['lost', 'dispute.lost'],
    ['warning_closed', 'dispute.won'],
  ] as const)('a dispute that is %s', async (status, type) => {
    const { transactionId } = await it.pay(card());
    server.dispute(String(transactionId), status);
    expect(await last()).toMatchObject({ type, transactionId, amountCents: 1999, currency: 'EUR' });
  });

  test('anything else is taken and needs nothing', async () => {
    const { body, headers } = server.signed({
      id: 'evt_other',
      type: 'customer.created',
      data: { object: {} },
    });
    expect(await it.verify(Buffer.from(body), headers)).toEqual({
      ignored: true,
      processorEventId: 'evt_other',
      type: 'customer.created',
      raw: expect.any(Object),
    });
  });
});

test('other processes switch and count over HTTP, and notifications arrive repeated and out of order', async () => {
  await fetch(`${server.url}/_control`, { method: 'POST', body: JSON.stringify({ next: ['decline'] }) });
  expect(await it.pay(card())).toMatchObject({ status: 'declined' });
  await it.pay(card());
  const ledger = (await (await fetch(`${server.url}/_ledger`)).json()) as { balanceCents: number };
  expect(ledger.balanceCents).toBe(server.balanceCents());
  const heard: string[] = [];
  const receiver = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const event = await it.verify(Buffer.concat(chunks), request.headers);
    heard.push(event.processorEventId);
    response.end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const { port } = receiver.address() as AddressInfo;
  const events = server.events.slice(-2).map(({ id }) => String(id));
  const order = (all: (typeof server.events)[number][]) => [...all.slice(-2).toReversed(), ...all.slice(-1)];
  expect(await server.deliver(`http://127.0.0.1:${port}`, order)).toEqual([200, 200, 200]);
  expect(heard).toEqual([events[1], events[0], events[1]]);
  await new Promise((resolve) => receiver.close(resolve));
});

describe('a signature', () => {
  const event = { id: 'evt_1', type: 'customer.created', data: { object: {} } };
  const refused = async (body: string, headers: Record<string, string | undefined>) =>
    expect(it.verify(Buffer.from(body), headers)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });

  test('holds for the bytes that were signed only', async () => {
    const { body, headers } = server.signed(event);
    await refused(`${body} `, headers);
    await refused(body.replace('evt_1', 'evt_2'), headers);
  });

  test('of another secret, or none at all, is refused', async () => {
    const { body, headers } = server.signed(event, 'whsec_of_somebody_else');
    await refused(body, headers);
    await refused(body, {});
    await refused(body, { 'stripe-signature': 't=1,v1=' });
  });

  test('is refused two minutes away, in either direction', async () => {
    for (const seconds of [-121, 121]) {
      const { body, headers } = server.signed(event, undefined, clock.epochMs() + seconds * 1000);
      await refused(body, headers);
    }
    const { body, headers } = server.signed(event, undefined, clock.epochMs() - 119_000);
    expect(await it.verify(Buffer.from(body), headers)).toMatchObject({ ignored: true });
  });

  test('is refused while no secret is set', async () => {
    const unset = processorCtx({
      settings: { ...STRIPE_KEYS, stripe_webhook_secret: null },
      urls: { stripe: server.url },
      clock,
    });
    const other = await processorOf(unset, 'stripe').connect(unset);
    const { body, headers } = server.signed(event);
    await expect(other.verify(Buffer.from(body), headers)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  });
});
