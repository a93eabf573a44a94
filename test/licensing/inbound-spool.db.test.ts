// Purchases that come while the database is away: on the disk, then in the inbox, once (D101; rows A177, K18).

import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sleep } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { openDatabase } from '#kernel/db/connect.ts';
import type { Database } from '#kernel/db/database.ts';
import { inbox as inboxCapability } from '#licensing/purchases/inbox/capability.ts';
import * as inbox from '#licensing/purchases/inbox/index.ts';
import * as integrations from '#licensing/purchases/integrations/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { awayCtx } from '../support/away-ctx.ts';
import {
  checkout,
  hmac,
  openShop,
  purchase,
  type Shop,
  secondsOf,
  secret,
  stripeHeaders,
} from '../support/inbound.ts';
import { processesOf } from '../support/processes.ts';

let app: TestApp;
let shop: Shop;
let folder: string;
beforeAll(async () => {
  app = await startApp();
  shop = await openShop(app, 'GENERIC');
  await shop.map('price_1');
  folder = join(app.ctx.dataDir, 'spool', 'inbound');
});
afterAll(() => app.close());
beforeEach(() => rmSync(join(app.ctx.dataDir, 'spool'), { recursive: true, force: true }));

const job = inboxCapability.jobs?.find(({ name }) => name === 'spool-ingest');
const ingest = (ctx = app.ctx) => job?.run(ctx);
const none = { stored: 0, refused: 0, setAside: 0, left: 0 };
const files = () => readdirSync(folder).sort();
const receive = (ctx: Ctx, event: object | string, headers?: object) => {
  const bytes = Buffer.from(typeof event === 'string' ? event : JSON.stringify(event));
  const signed = headers ?? { 'x-signature': hmac(secret, bytes).toString('hex') };
  return inbox.receive(ctx, { configId: shop.id, raw: { bytes }, headers: signed, ip: '192.0.2.7' });
};
const ofOrder = async (order: string) => (await shop.licenses()).filter(({ order_id }) => order_id === order);
const spooled = { success: true, received: true, duplicate: false, licensesCreated: 0, spooled: true };
/** Another process of the installation, which has never heard of the configuration. */
const fresh = () => processesOf(app, 1)[0] as Ctx;

describe('with the configuration in memory', () => {
  beforeEach(() => shop.send('{}'));

  it('a signed purchase is kept, private and whole, and becomes one license when the database is back', async () => {
    expect(await receive(awayCtx(app.ctx), purchase('away-1'))).toEqual(spooled);
    expect(files()).toEqual([expect.stringMatching(/^[0-9A-Z]{26}\.json$/)]);
    const path = join(folder, files()[0] as string);
    expect([statSync(path).mode & 0o777, statSync(folder).mode & 0o777]).toEqual([0o600, 0o700]);
    const kept = JSON.parse(readFileSync(path, 'utf8'));
    expect(kept).toMatchObject({
      configId: shop.id,
      ip: '192.0.2.7',
      receivedAt: app.ctx.now(),
      believed: true,
    });
    expect(JSON.parse(Buffer.from(kept.body, 'base64').toString())).toEqual(purchase('away-1'));
    app.clock.advance(3600);
    expect(await ingest()).toEqual({ ...none, stored: 1 });
    expect(files()).toEqual([]);
    expect(await ofOrder('order-away-1')).toHaveLength(1);
    const event = (await shop.events()).find(({ processorEventId }) => processorEventId === 'away-1');
    expect(event).toMatchObject({ status: 'PROCESSED', spooled: true, receivedAt: kept.receivedAt });
    expect(await ingest()).toEqual(none);
  });
  it('a database that hangs is not waited for', async () => {
    expect(await receive(awayCtx(app.ctx, 'hangs'), purchase('hangs'))).toEqual(spooled);
    await ingest();
    expect(await ofOrder('order-hangs')).toHaveLength(1);
  });
  it('what is forged is refused at once and not kept', async () => {
    const reply = await receive(awayCtx(app.ctx), purchase('forged'), { 'x-signature': '0'.repeat(64) });
    expect(reply).toMatchObject({ success: false, reason: 'SIGNATURE_INVALID' });
    expect(inbox.inboundSpool.state(app.ctx)).toEqual({ files: 0, bytes: 0, bad: 0 });
  });
  it('a secret that is replaced meanwhile takes nothing back', async () => {
    await receive(awayCtx(app.ctx), purchase('rotated'));
    await integrations.update(app.ctx, shop.id, { signingSecret: 'another-signing-secret' });
    app.clock.advance(90_000);
    expect(await ingest()).toEqual({ ...none, stored: 1 });
    await integrations.update(app.ctx, shop.id, { signingSecret: secret });
    expect(await ofOrder('order-rotated')).toHaveLength(1);
  });
  it('a configuration that is switched off meanwhile takes nothing back', async () => {
    await receive(awayCtx(app.ctx), purchase('switched-off'));
    await integrations.update(app.ctx, shop.id, { enabled: false });
    expect(await ingest()).toEqual({ ...none, stored: 1 });
    await integrations.update(app.ctx, shop.id, { enabled: true });
    expect(await ofOrder('order-switched-off')).toHaveLength(1);
  });
  it('of a configuration that is deleted meanwhile the file is set aside for people', async () => {
    const gone = await openShop(app, 'GENERIC');
    await gone.send('{}');
    const bytes = Buffer.from(JSON.stringify(purchase('gone')));
    const headers = { 'x-signature': hmac(secret, bytes).toString('hex') };
    const sent = { configId: gone.id, raw: { bytes }, headers, ip: '192.0.2.7' };
    expect(await inbox.receive(awayCtx(app.ctx), sent)).toEqual(spooled);
    await integrations.remove(app.ctx, gone.id);
    expect(await ingest()).toEqual({ ...none, setAside: 1 });
    expect(files()).toEqual([expect.stringMatching(/\.json\.bad$/)]);
  });
  it('many of one event, and a further one that was stored: one license', async () => {
    await Promise.all(Array.from({ length: 10 }, () => receive(awayCtx(app.ctx), purchase('many'))));
    expect((await shop.send(purchase('many'))).body).toMatchObject({ licensesCreated: 1 });
    await Promise.all([ingest(), ingest(fresh())]);
    expect(files()).toEqual([]);
    expect(await ofOrder('order-many')).toHaveLength(1);
  });
  it('while the database is still away the files stay', async () => {
    await receive(awayCtx(app.ctx), purchase('stays'));
    await expect(async () => ingest(awayCtx(app.ctx))).rejects.toThrow('ECONNREFUSED');
    expect(files()).toHaveLength(1);
    await ingest();
    expect(await ofOrder('order-stays')).toHaveLength(1);
  });
});

describe('without the configuration in memory', () => {
  it('anything is kept, and what is forged is refused when the database is back', async () => {
    const ctx = fresh();
    expect(await receive(awayCtx(ctx), purchase('unseen'))).toEqual(spooled);
    expect(await receive(awayCtx(ctx), purchase('fake'), { 'x-signature': '0'.repeat(64) })).toEqual(spooled);
    expect(await receive(awayCtx(ctx), 'no event at all')).toEqual(spooled);
    const { result, changes } = await app.changesBy(async () => ingest(fresh()));
    expect(result).toEqual({ ...none, stored: 1, refused: 2 });
    expect(changes.events.filter((type) => type === 'LICENSE_CREATED')).toHaveLength(1);
    expect(files()).toEqual([]);
  });
  it('the replay window is measured from the receipt', async () => {
    const stripe = await openShop(app, 'STRIPE');
    await stripe.map('price_1');
    const send = (id: string, at: number) => {
      const body = JSON.stringify(checkout(id));
      const sent = stripeHeaders(body, secondsOf(app) + at)['Stripe-Signature'] as string;
      const raw = { bytes: Buffer.from(body) };
      const headers = { 'stripe-signature': sent };
      return inbox.receive(awayCtx(fresh()), { configId: stripe.id, raw, headers, ip: '192.0.2.7' });
    };
    expect(await send('in-time', -120)).toEqual(spooled);
    expect(await send('stale', -121)).toEqual(spooled);
    expect(files()).toHaveLength(2);
    app.clock.advance(7200);
    expect(await ingest()).toEqual({ ...none, stored: 1, refused: 1 });
    expect((await stripe.licenses()).map(({ order_id }) => order_id)).toEqual(['order-in-time']);
  });
  it('an id that cannot be one is refused without the disk', async () => {
    const raw = { bytes: Buffer.from('{}') };
    const reply = await inbox.receive(awayCtx(fresh()), {
      configId: 'x',
      raw,
      headers: {},
      ip: '192.0.2.7',
    });
    expect(reply).toMatchObject({ success: false, reason: 'CONFIG_NOT_FOUND' });
    expect(inbox.inboundSpool.state(app.ctx).files).toBe(0);
  });
});

it('a file that cannot be read is set aside and stands in nobody’s way', async () => {
  await receive(awayCtx(app.ctx), purchase('behind'));
  writeFileSync(join(folder, '00000000000000000000000000.json'), '{"configId":');
  writeFileSync(join(folder, '00000000000000000000000001.json'), '[]');
  writeFileSync(join(folder, '.half-written.tmp'), '{');
  mkdirSync(join(folder, '00000000000000000000000002.json'));
  expect(await ingest()).toEqual({ ...none, stored: 1, setAside: 2, left: 1 });
  rmSync(join(folder, '00000000000000000000000002.json'), { recursive: true });
  expect(await ofOrder('order-behind')).toHaveLength(1);
  expect(inbox.inboundSpool.state(app.ctx)).toEqual({ files: 0, bytes: 0, bad: 2 });
  expect(await ingest()).toEqual(none);
});

describe('a spool that takes nothing more', () => {
  const refusal = { status: 503, code: 'SERVER_ERROR' };

  it('because it cannot be written: 503, and the processor sends it again', async () => {
    writeFileSync(join(app.ctx.dataDir, 'spool'), 'in the way');
    await expect(receive(awayCtx(fresh()), purchase('nowhere'))).rejects.toMatchObject(refusal);
    rmSync(join(app.ctx.dataDir, 'spool'));
    expect(await receive(awayCtx(fresh()), purchase('nowhere'))).toEqual(spooled);
  });
  it('because 10,000 wait: 503', async () => {
    mkdirSync(folder, { recursive: true });
    for (let n = 0; n < 9999; n++) writeFileSync(join(folder, `${String(n).padStart(26, '0')}.json`), '');
    const ctx = fresh();
    expect(await receive(awayCtx(ctx), purchase('last'))).toEqual(spooled);
    await expect(receive(awayCtx(ctx), purchase('one more'))).rejects.toMatchObject(refusal);
    rmSync(join(folder, `${'0'.repeat(26)}.json`));
    expect(await receive(awayCtx(ctx), purchase('room'))).toEqual(spooled);
  });
});

it('when the database breaks its connections under a rush, every purchase becomes one license', async () => {
  const ids = Array.from({ length: 40 }, (_, n) => `rush-${n}`);
  const other = await openDatabase(app.instance.config.database.url, {
    poolSize: 1,
    busyTimeoutMs: 5000,
    create: false,
    onError: () => undefined,
  });
  let over = false;
  const breaking = (async () => {
    for (; !over; await sleep(30)) await breakConnections(other);
  })();
  const replies = [];
  for (let start = 0; start < ids.length; start += 10) {
    const some = ids.slice(start, start + 10);
    replies.push(
      ...(await Promise.all(some.flatMap((id) => [shop.send(purchase(id)), shop.send(purchase(id))]))),
    );
  }
  over = true;
  await breaking;
  await other.close();
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(replies.map(({ body }) => body.success))).toEqual(new Set([true]));
  await ingest();
  app.clock.advance(60);
  await inboxCapability.jobs?.find(({ name }) => name === 'inbound-retry')?.run(app.ctx);
  for (const id of ids) expect(await ofOrder(`order-${id}`)).toHaveLength(1);
});

/** Ends every other database connection; SQLite has none. */
async function breakConnections({ db }: Database): Promise<void> {
  if (db.dialect === 'sqlite') return;
  await db.knex.raw(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
}

it('a thousand that cannot be taken in keep nobody behind them waiting', async () => {
  mkdirSync(folder, { recursive: true });
  for (let n = 0; n < 1001; n++) mkdirSync(join(folder, `${String(n).padStart(26, '0')}.json`));
  await receive(awayCtx(app.ctx), purchase('patient'));
  expect(await ingest()).toEqual({ ...none, stored: 1, left: 1001 });
  expect(await ofOrder('order-patient')).toHaveLength(1);
});
