// What doctor says of purchases that processors reported, and the samples that `integration test` sends.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CheckScope } from '#kernel/check.ts';
import { addSeconds } from '#kernel/clock.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { inboxChecks } from '#licensing/purchases/inbox/checks.ts';
import { countWaiting, inboundSpool } from '#licensing/purchases/inbox/index.ts';
import { readEvent, signatureFault } from '#licensing/purchases/inbox/processors/processors.ts';
import { sampleBody, signSample } from '#licensing/purchases/inbox/processors/sample.ts';
import { listRefusals } from '#licensing/purchases/inbox/refusals/listing.ts';
import { signedSample } from '#licensing/purchases/inbox/sample.ts';
import { PROCESSORS } from '#licensing/purchases/integrations/choices.ts';
import * as integrations from '#licensing/purchases/integrations/integrations.ts';
import { mapProduct } from '#licensing/purchases/integrations/mappings/mappings.ts';
import { type AppOptions, startApp, type TestApp } from '../support/app.ts';
import { codeOf, refusalOf } from '../support/refusal.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({} satisfies AppOptions);
  await products.create(app.ctx, { name: 'Editor', slug: 'editor' });
});
afterAll(() => app.close());

async function finding(name: string) {
  const { ctx, database, migrator, config } = app.instance;
  const scope = { config, opened: { ctx, database, migrator, current: true } } as CheckScope;
  const check = inboxChecks.find(({ id }) => id === `inbound.${name}`);
  return check?.run(scope);
}

const write = (table: string, row: Record<string, unknown>) =>
  app.instance.database.transaction(async ({ knex }) => void (await knex(table).insert(row)));

let stored = 0;
function storeEvent(configId: string, status: string, more: Record<string, unknown> = {}) {
  stored += 1;
  const at = app.ctx.now();
  return write('license_inbound_events', {
    id: app.ctx.newId('ibe'),
    tenant_id: app.ctx.tenantId,
    config_id: configId,
    processor_event_id: `stored-${stored}`,
    event_name: 'payment',
    status,
    body: 'e30=',
    headers: '{}',
    received_at: at,
    created_at: at,
    unmapped: '[]',
    ...more,
  });
}

describe('doctor', () => {
  let configId: string;
  it('is content with an empty inbox', async () => {
    for (const name of ['spool', 'failed-events', 'unmapped'])
      expect(await finding(name)).toMatchObject({ status: 'ok' });
  });

  it('inbound.unmapped warns of a configuration that sells nothing, unless it is disabled', async () => {
    configId = (await integrations.create(app.ctx, { processor: 'GENERIC', name: 'shop' })).config.id;
    expect(await finding('unmapped')).toMatchObject({
      status: 'warn',
      message: expect.stringContaining('nothing is mapped in shop'),
      hint: expect.stringContaining(`appctl integration map ${configId}`),
    });
    await integrations.update(app.ctx, configId, { enabled: false });
    expect(await finding('unmapped')).toMatchObject({ status: 'ok' });
    await integrations.update(app.ctx, configId, { enabled: true });
    await mapProduct(app.ctx, configId, { externalProductId: 'x', productId: 'editor' });
    expect(await finding('unmapped')).toMatchObject({ status: 'ok' });
  });

  it('inbound.unmapped counts events whose products no mapping names, wholly or in part', async () => {
    await storeEvent(configId, 'FAILED', { reason: 'UNMAPPED' });
    await storeEvent(configId, 'PROCESSED', { reason: 'PARTLY_UNMAPPED' });
    expect(await finding('failed-events')).toMatchObject({ status: 'ok' });
    expect(await finding('unmapped')).toMatchObject({
      status: 'warn',
      message: expect.stringContaining('shop: 2'),
      hint: expect.stringContaining('replay'),
    });
  });

  it('inbound.failed-events tells of events that have waited too long, and of those that failed', async () => {
    const now = app.ctx.now();
    await storeEvent(configId, 'RECEIVED', { next_attempt_at: addSeconds(now, -600) });
    expect(await finding('failed-events')).toMatchObject({ status: 'ok' });
    await storeEvent(configId, 'RECEIVED', { next_attempt_at: addSeconds(now, -601) });
    expect(await finding('failed-events')).toMatchObject({
      status: 'warn',
      message: expect.stringContaining('1 reported purchases'),
      hint: 'appctl jobs run inbound-retry --wait',
    });
    await storeEvent(configId, 'FAILED', { reason: 'EMAIL_MISSING' });
    expect(await finding('failed-events')).toMatchObject({
      status: 'warn',
      message: expect.stringContaining('shop: 1 EMAIL_MISSING'),
      hint: `appctl integration events ${configId} --status FAILED`,
    });
    expect(await countWaiting(app.ctx)).toBe(2);
  });

  it('inbound.spool tells of files that wait, and of files that cannot be taken in', async () => {
    const folder = inboundSpool.folderOf(app.instance.config);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, '01J9ZK3T5W8Y2QF4M6N7P0R1SV.json'), '{}');
    writeFileSync(join(folder, 'note.txt'), '');
    expect(await finding('spool')).toMatchObject({
      status: 'warn',
      message: expect.stringContaining('1 purchases wait'),
      hint: 'appctl jobs run spool-ingest --wait',
    });
    writeFileSync(join(folder, '01J9ZK3T5W8Y2QF4M6N7P0R1SW.json.bad'), '');
    expect(await finding('spool')).toMatchObject({ status: 'fail' });
  });
});

describe('listRefusals', () => {
  it('shows what was refused by hour, the newest first, to the own tenant', async () => {
    const { id } = (await integrations.create(app.ctx, { processor: 'GENERIC', name: 'refusing' })).config;
    const hourAgo = addSeconds(app.ctx.now(), -3600);
    const dayAgo = addSeconds(app.ctx.now(), -86_401);
    for (const [at, count] of [
      [dayAgo, 5],
      [hourAgo, 7],
    ] as const)
      await write('license_inbound_refusals', {
        config_id: id,
        hour: at.slice(0, 13),
        reason: 'SIGNATURE_INVALID',
        ip: '192.0.2.1',
        detail: 'no v1 matches',
        count,
        last_at: at,
        created_at: at,
      });
    const { items, lastDay } = await listRefusals(app.ctx, 'refusing', { page: 1, limit: 10 });
    expect(items.map(({ hour, count, lastAt }) => [hour, count, lastAt])).toEqual([
      [`${hourAgo.slice(0, 13)}:00:00.000Z`, 7, hourAgo],
      [`${dayAgo.slice(0, 13)}:00:00.000Z`, 5, dayAgo],
    ]);
    expect(lastDay).toBe(7);
    const other = await app.otherTenant();
    expect(await codeOf(listRefusals(other, id, { page: 1, limit: 10 }))).toBe('NOT_FOUND');
  });
});

describe('samples', () => {
  const purchase = { unique: 'abc', externalProductId: 'plan_1', email: 'ann@x.test', orderId: 'test-abc' };
  const secret = 'a-secret-of-the-processor';
  const notificationUrl = 'https://shop.x.test/hook';

  it.each(PROCESSORS)('of %s are signed as it signs, and say what was bought', (processor) => {
    const raw = sampleBody(processor, purchase);
    const nowMs = Date.parse('2026-03-01T12:00:00.999Z');
    const sent = signSample(processor, { raw, secret, notificationUrl, nowMs });
    const headers = Object.fromEntries(
      Object.entries(sent).map(([name, text]) => [name.toLowerCase(), text]),
    );
    const signed = { raw, headers, secrets: [secret], notificationUrl, receivedMs: nowMs };
    expect(signatureFault(processor, signed)).toBeNull();
    expect(signatureFault(processor, { ...signed, secrets: ['another-secret-0123456'] })).not.toBeNull();
    expect(readEvent(processor, raw)).toMatchObject({
      kind: 'PURCHASE',
      orderId: 'test-abc',
      email: 'ann@x.test',
      items: [{ externalIds: ['plan_1'], quantity: 1 }],
    });
  });

  it('take the first mapping, differ from each other, and are refused where nothing could come of them', async () => {
    const { id } = (
      await integrations.create(app.ctx, { processor: 'STRIPE', name: 's', generateSecret: true })
    ).config;
    const wish = { email: 'a@x.test' };
    expect((await refusalOf(signedSample(app.ctx, 's', wish))).details.hint).toContain('map');
    await mapProduct(app.ctx, id, { externalProductId: 'first', productId: 'editor' });
    app.clock.advance(1);
    await mapProduct(app.ctx, id, { externalProductId: 'a-second', productId: 'editor' });
    const one = await signedSample(app.ctx, id, wish);
    const two = await signedSample(app.ctx, id, wish);
    expect([one.externalProductId, one.configId]).toEqual(['first', id]);
    expect(one.orderId).not.toBe(two.orderId);
    const other = await app.otherTenant();
    expect(await codeOf(signedSample(other, id, wish))).toBe('NOT_FOUND');
    await integrations.update(app.ctx, id, { enabled: false });
    expect(await codeOf(signedSample(app.ctx, id, wish))).toBe('CONFLICT');
  });
});
