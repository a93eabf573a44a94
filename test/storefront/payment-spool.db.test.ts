// Reports of processors that come while the database is away: on the disk, then in the inbox, each once (reliability M9).
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Ctx } from '#kernel/context.ts';
import { paymentSpool, receive } from '#storefront/orders/payments/index.ts';
import { signFake } from '#storefront/orders/processors/index.ts';
import { awayCtx } from '../support/away-ctx.ts';
import { runJob } from '../support/jobs.ts';
import { type OrderShop, openOrderShop } from './order-shop.ts';
import type { PlacedShown } from './shopper.ts';

let shop: OrderShop;
let folder: string;
beforeAll(async () => {
  shop = await openOrderShop();
  folder = join(shop.app.ctx.dataDir, 'spool', 'payments');
});
afterAll(() => shop.app.close());
beforeEach(() => rmSync(join(shop.app.ctx.dataDir, 'spool'), { recursive: true, force: true }));

const ingest = (ctx = shop.app.ctx) => runJob(ctx, 'ingest-payment-spool');
const none = { stored: 0, refused: 0, setAside: 0, left: 0 };
const files = () => readdirSync(folder).sort();

/** An order whose payment waits for its buyer, and the report that it was paid. */
async function awaited() {
  const shopper = await shop.withCart(await shop.stocked(1));
  const sent = shop.order('fake', { source_id: 'needs_action' });
  const { order, payment } = await shopper.data<PlacedShown>('/checkout', sent);
  const report = {
    processorEventId: `evt_${payment?.id}`,
    type: 'payment.succeeded',
    transactionId: `fake_${payment?.id}`,
    paymentId: payment?.id,
    amountCents: 2400,
    currency: 'USD',
    raw: {},
  };
  return { order, body: Buffer.from(JSON.stringify(report)) };
}
const send = (ctx: Ctx, body: Buffer, headers = signFake(body)) => receive(ctx, 'fake', body, headers);
const stateOf = async (id: string) =>
  (await shop.knex()('orders').where({ id }).first('payment_status'))?.payment_status as string;
const rows = (body: Buffer) =>
  shop
    .knex()('processor_events')
    .where({ processor_event_id: JSON.parse(body.toString()).processorEventId })
    .select('status');

it.each(['refuses', 'hangs'] as const)(
  'a report is kept, private and whole, while the database %s',
  async (how) => {
    const { order, body } = await awaited();
    await send(how === 'hangs' ? awayCtx(shop.app.ctx, 'hangs') : awayCtx(shop.app.ctx), body);
    expect(files()).toEqual([expect.stringMatching(/^[0-9A-Z]{26}\.json$/)]);
    expect([
      statSync(join(folder, files()[0] as string)).mode & 0o777,
      statSync(folder).mode & 0o777,
    ]).toEqual([0o600, 0o700]);
    expect(await stateOf(order.id)).not.toBe('paid');
    expect(await ingest()).toEqual({ ...none, stored: 1 });
    expect(await stateOf(order.id)).toBe('paid');
    expect(await rows(body)).toEqual([{ status: 'handled' }]);
    expect([files(), await ingest()]).toEqual([[], none]);
  },
);

it('what is forged is refused at once and not kept', async () => {
  const { body } = await awaited();
  const forged = { 'x-fake-signature': '0'.repeat(64) };
  await expect(send(awayCtx(shop.app.ctx), body, forged)).rejects.toMatchObject({ status: 401 });
  expect(paymentSpool.state(shop.app.ctx)).toEqual({ files: 0, bytes: 0, bad: 0 });
});

it('many of one report, and one more that was stored, place one order', async () => {
  const { order, body } = await awaited();
  await Promise.all(Array.from({ length: 5 }, () => send(awayCtx(shop.app.ctx), body)));
  expect(files()).toHaveLength(5);
  await send(shop.app.ctx, body);
  await Promise.all([ingest(), ingest()]);
  expect(files()).toEqual([]);
  expect(await rows(body)).toEqual([{ status: 'handled' }]);
  expect(await stateOf(order.id)).toBe('paid');
});

it('while the database is still away the files stay', async () => {
  const { body } = await awaited();
  await send(awayCtx(shop.app.ctx), body);
  await expect(ingest(awayCtx(shop.app.ctx))).rejects.toThrow('ECONNREFUSED');
  expect(files()).toHaveLength(1);
  expect(await ingest()).toEqual({ ...none, stored: 1 });
});

it('a file that cannot be read is set aside; a disk that takes nothing makes the processor send again', async () => {
  mkdirSync(folder, { recursive: true });
  for (const [at, text] of ['{', '[]', '{"id":"x"}'].entries())
    writeFileSync(join(folder, `0000000000000000000000000${at}.json`), text);
  expect(await ingest()).toEqual({ ...none, setAside: 3 });
  expect(paymentSpool.state(shop.app.ctx)).toEqual({ files: 0, bytes: 0, bad: 3 });
  rmSync(join(shop.app.ctx.dataDir, 'spool'), { recursive: true });
  writeFileSync(join(shop.app.ctx.dataDir, 'spool'), 'in the way');
  const { body } = await awaited();
  await expect(send(awayCtx(shop.app.ctx), body)).rejects.toMatchObject({ status: 503 });
});
