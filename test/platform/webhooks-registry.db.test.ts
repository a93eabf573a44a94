// What administrators do with outbound webhooks: how one is made, what is refused (licensing 4.2, D119 to D121, D125).

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Ctx } from '#kernel/context.ts';
import { rehearsing } from '#kernel/rehearse.ts';
import { licenseWebhooks } from '#licensing/insight/webhooks/index.ts';
import * as webhooks from '#platform/webhooks/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { codeOf, faultsOf, refusalOf } from '../support/refusal.ts';
import { deliveriesOf, LOOPBACK_PINS, outboxOf, webhookRow } from '../support/webhooks.ts';

let app: TestApp;
let ctx: Ctx;
/** Nobody has to answer here, and no name has to be looked up. */
const url = 'https://203.0.114.10/hooks';

beforeAll(async () => {
  app = await startApp({ pins: LOOPBACK_PINS });
  ctx = app.ctx;
});
afterAll(() => app.close());
beforeEach(() => ctx.tx(async (ctx) => ctx.db.knex('webhooks').delete()));

const make = (
  input: Partial<webhooks.WebhookCreateInput> = {},
  options: webhooks.CreateOptions = {},
  as = ctx,
) => webhooks.create(as, licenseWebhooks, { url, ...input }, options);
const get = (id: string) => webhooks.get(ctx, licenseWebhooks, id);
const typesOf = async (id: string) => (await app.eventsOf(id)).map(({ type }) => type);
const rows = webhooks.webhookRows(licenseWebhooks.name);
const one = (id: string, as = ctx) => webhooks.get(as, licenseWebhooks, id);

describe('list, show and other tenants', () => {
  test('pages in the order of their making, by state', async () => {
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c']) ids.push((await make({ name, enabled: name !== 'b' })).webhook.id);
    const page = async ({ enabled, ...slice }: { enabled?: boolean; offset?: number; limit?: number }) => {
      const found = await rows.page(ctx, { offset: 0, limit: 10, ...slice, filters: { enabled } });
      return [found.items.map(({ name }) => name).join(''), found.total];
    };
    expect(await page({})).toEqual(['abc', 3]);
    expect(await page({ offset: 1, limit: 1 })).toEqual(['b', 3]);
    expect(await page({ enabled: true })).toEqual(['ac', 2]);
    expect(await page({ enabled: false })).toEqual(['b', 1]);
  });

  test('a webhook of another tenant is as unknown as one that never was', async () => {
    const other = await app.otherTenant();
    const { webhook } = await make();
    const unknown = 'whk_00000000000000000000000000';
    for (const id of [webhook.id, unknown, '', "' OR 1=1"]) {
      const as = id === webhook.id ? other : ctx;
      const tries = [
        one(id, as),
        webhooks.update(as, licenseWebhooks, id, { name: 'x' }),
        webhooks.enable(as, licenseWebhooks, id),
        webhooks.disable(as, licenseWebhooks, id),
        webhooks.remove(as, licenseWebhooks, id),
        webhooks.rotateSecret(as, licenseWebhooks, id),
        webhooks.sendTest(as, licenseWebhooks, id),
        webhooks.printTest(as, licenseWebhooks, id),
        webhooks.replayRange(as, licenseWebhooks, { webhookId: id }),
      ];
      expect(await Promise.all(tries.map(codeOf))).toEqual(tries.map(() => 'NOT_FOUND'));
    }
    expect(await get(webhook.id)).toEqual(webhook);
    expect((await rows.page(other, { offset: 0, limit: 10 })).items).toEqual([]);
    const store = { ...licenseWebhooks, name: 'store' } as const;
    expect(await codeOf(webhooks.get(ctx, store, webhook.id))).toBe('NOT_FOUND');
  });

  test('a product of another tenant is unknown, and its events concern no webhook of this one', async () => {
    const other = await app.otherTenant();
    const foreign = await app.product({ slug: 'same' }, other);
    expect(await faultsOf(make({ productIds: [foreign.id] }))).toEqual(['productIds']);
    const own = await app.product({ slug: 'same' });
    const event = { data: { product: { name: 'Same', slug: 'same' } } } as never;
    const asks = (as: Ctx, id: string) => licenseWebhooks.concerns(as, event, [id]);
    expect(await Promise.all([asks(ctx, own.id), asks(ctx, foreign.id), asks(other, foreign.id)])).toEqual([
      true,
      false,
      true,
    ]);
    expect(
      await asks(app.ctx.with({ actor: { ...ctx.actor, scopes: { license_product: [] } } }), own.id),
    ).toBe(true);
  });
});

describe('update', () => {
  test('changes what is sent and tells what it was; nothing new writes nothing', async () => {
    const { webhook } = await make({ name: 'old' });
    app.clock.advance(60);
    const changes = {
      name: 'new',
      url: 'https://203.0.114.11/',
      events: ['LICENSE_CREATED'],
      redactEmail: true,
    };
    const { webhook: after, warning } = await webhooks.update(ctx, licenseWebhooks, webhook.id, changes);
    expect(after).toEqual({ ...webhook, ...changes, updatedAt: ctx.now() });
    expect(warning).toBeNull();
    const again = await webhooks.update(ctx, licenseWebhooks, webhook.id, changes);
    expect(again.webhook).toEqual(after);
    const none = await webhooks.update(ctx, licenseWebhooks, webhook.id, {});
    expect(none.webhook).toEqual(after);
    expect((await app.eventsOf(webhook.id)).filter(({ type }) => type === 'WEBHOOK_UPDATED')).toEqual([
      { type: 'WEBHOOK_UPDATED', data: { name: 'new', changed: ['name', 'url', 'events', 'redactEmail'] } },
    ]);
    const told = { target_id: webhook.id, action: 'WEBHOOK_UPDATED' };
    const row = await ctx.db.knex('audit_log').where(told).first();
    expect(JSON.parse(row.before)).toMatchObject({ name: 'old', redactEmail: false });
    expect(JSON.parse(row.after)).toMatchObject({ name: 'new', redactEmail: true });
  });

  test('null lifts products and headers; headers are replaced as a whole', async () => {
    const product = await app.product();
    const { webhook } = await make({
      productIds: [product.id],
      headers: { 'X-A': 'secret-value', 'X-B': '2' },
    });
    const set = (input: webhooks.WebhookUpdateInput) =>
      webhooks.update(ctx, licenseWebhooks, webhook.id, input).then((done) => done.webhook);
    expect((await set({ headers: { 'X-C': '3' } })).headerNames).toEqual(['X-C']);
    expect(await set({ headers: null, productIds: null })).toMatchObject({
      headerNames: [],
      productIds: null,
    });
    expect((await webhookRow(ctx, webhook.id)).headers_enc).toBeNull();
    expect(JSON.stringify(await app.eventsOf(webhook.id))).not.toContain('secret-value');
  });

  test('headers do not follow the URL to another server: they may be credentials of the old one', async () => {
    const { webhook } = await make({ headers: { Authorization: 'Bearer of the old server' } });
    const move = (to: string, more: object = {}) =>
      webhooks.update(ctx, licenseWebhooks, webhook.id, { url: to, ...more });
    const [host, port] = ['https://203.0.114.11/hooks', 'https://203.0.114.10:8443/hooks'];
    for (const to of [host, port]) expect(await faultsOf(move(to, { name: 'x' }))).toEqual(['headers']);
    expect(await get(webhook.id)).toEqual(webhook);
    expect((await move('https://203.0.114.10/v2')).webhook.headerNames).toEqual(['Authorization']);
    expect((await move(host, { headers: { 'X-New': 'x' } })).webhook.headerNames).toEqual(['X-New']);
    expect((await move(port, { headers: null })).webhook.headerNames).toEqual([]);
    expect((await move(host)).webhook.url).toBe(host);
  });

  test('refuses what create refuses, a stale state and unknown fields', async () => {
    const { webhook } = await make();
    const set = (input: object, options?: webhooks.ChangeOptions) =>
      webhooks.update(ctx, licenseWebhooks, webhook.id, input, options);
    expect(await faultsOf(set({ url: 'https://10.0.0.1/' }))).toEqual(['url']);
    expect(await faultsOf(set({ events: ['NOPE'] }))).toEqual(['events']);
    expect(await faultsOf(set({ productIds: ['nope'] }))).toEqual(['productIds']);
    expect(await faultsOf(set({ name: null }))).toEqual(['name']);
    expect(await faultsOf(set({ secret: 'x' }))).toEqual(['']);
    expect(await codeOf(set({ name: 'x' }, { ifMatch: '2026-01-01T00:00:00.000Z' }))).toBe(
      'PRECONDITION_FAILED',
    );
    expect(await get(webhook.id)).toEqual(webhook);
    expect((await set({ name: 'x' }, { ifMatch: webhook.updatedAt })).webhook.name).toBe('x');
    const rehearsed = await webhooks.update(rehearsing(ctx), licenseWebhooks, webhook.id, {
      name: 'y',
      enabled: false,
    });
    expect(rehearsed.webhook).toMatchObject({ name: 'y', enabled: false });
    expect(await get(webhook.id)).toMatchObject({ name: 'x', enabled: true });
  });

  test('enabled in an update does what disable and enable do', async () => {
    const { webhook } = await make({ events: ['*'] });
    await app.license();
    const off = await webhooks.update(ctx, licenseWebhooks, webhook.id, { enabled: false, name: 'off' });
    expect(off.webhook).toMatchObject({ enabled: false, disabledAt: ctx.now(), disabledReason: 'by staff' });
    expect(await deliveriesOf(ctx, webhook.id)).toMatchObject([{ state: 'SKIPPED' }]);
    const on = await webhooks.update(ctx, licenseWebhooks, webhook.id, { enabled: true });
    expect(on.webhook).toMatchObject({ enabled: true, disabledAt: null, disabledReason: null });
    expect(await typesOf(webhook.id)).toEqual(['WEBHOOK_CREATED', 'WEBHOOK_ENABLED', 'WEBHOOK_UPDATED']);
  });
});

describe('enable and disable (D119)', () => {
  test('disable skips what waits; enable forgets the failures and sends nothing again', async () => {
    const { webhook } = await make({ events: ['LICENSE_CREATED'] });
    await app.license();
    await ctx.tx(async (ctx) => ctx.db.knex('webhooks').update({ consecutive_failures: 7 }));
    const off = await webhooks.disable(ctx, licenseWebhooks, webhook.id, { note: 'the receiver moves' });
    expect(off).toMatchObject({
      enabled: false,
      disabledReason: 'the receiver moves',
      consecutiveFailures: 7,
    });
    expect(await deliveriesOf(ctx, webhook.id)).toMatchObject([{ state: 'SKIPPED', ended_at: ctx.now() }]);
    expect(await outboxOf(ctx, webhook.id)).toEqual([]);
    await app.license();
    expect(await deliveriesOf(ctx, webhook.id)).toHaveLength(1);
    const on = await webhooks.enable(ctx, licenseWebhooks, webhook.id);
    expect(on).toMatchObject({
      enabled: true,
      disabledAt: null,
      disabledReason: null,
      consecutiveFailures: 0,
    });
    expect(await outboxOf(ctx, webhook.id)).toEqual([]);
    await app.license();
    expect(await deliveriesOf(ctx, webhook.id)).toMatchObject([{ state: 'SKIPPED' }, { state: 'PENDING' }]);
    const told = (await app.eventsOf(webhook.id)).filter(({ type }) => type === 'WEBHOOK_DISABLED');
    expect(told[0]?.data).toMatchObject({ skipped: 1, note: 'the receiver moves' });
  });

  test('again changes and tells nothing', async () => {
    const { webhook } = await make();
    expect(await webhooks.enable(ctx, licenseWebhooks, webhook.id)).toEqual(webhook);
    const off = await webhooks.disable(ctx, licenseWebhooks, webhook.id);
    app.clock.advance(60);
    expect(await webhooks.disable(ctx, licenseWebhooks, webhook.id, { note: 'x' })).toEqual(off);
    expect(await typesOf(webhook.id)).toEqual(['WEBHOOK_CREATED', 'WEBHOOK_DISABLED']);
  });
});

test('remove takes the log of its deliveries along, in small steps, and nothing waits any more', async () => {
  const { webhook } = await make({ events: ['*'] });
  const keeps = await make({ events: ['*'] });
  const productId = (await app.product()).id;
  for (let i = 0; i < 3; i++) await app.license({ productId });
  await fill(webhook.id, 1200);
  await webhooks.remove(rehearsing(ctx), licenseWebhooks, webhook.id);
  expect(await get(webhook.id)).toEqual(webhook);
  expect(await webhooks.remove(ctx, licenseWebhooks, webhook.id)).toEqual(webhook);
  expect(await codeOf(get(webhook.id))).toBe('NOT_FOUND');
  expect(await deliveriesOf(ctx, webhook.id)).toEqual([]);
  expect(await outboxOf(ctx, webhook.id)).toEqual([]);
  expect(await deliveriesOf(ctx, keeps.webhook.id)).toHaveLength(3);
  expect(await typesOf(webhook.id)).toEqual(['WEBHOOK_CREATED', 'WEBHOOK_DELETED', 'WEBHOOK_DISABLED']);
  expect(await codeOf(webhooks.remove(ctx, licenseWebhooks, webhook.id))).toBe('NOT_FOUND');
});

/** Writes deliveries that have ended, so many. */
const fill = (webhookId: string, count: number) =>
  ctx.tx(async (ctx) => {
    const at = ctx.now();
    const rows = Array.from({ length: count }, () => ({
      id: ctx.newId('dlv'),
      webhook_id: webhookId,
      tenant_id: ctx.tenantId,
      event_id: ctx.newId('evt'),
      event: 'LICENSE_CREATED',
      subject: 'lic_1',
      body: '{}',
      state: 'DELIVERED',
      created_at: at,
      ended_at: at,
    }));
    for (let i = 0; i < count; i += 50) await ctx.db.knex('webhook_deliveries').insert(rows.slice(i, i + 50));
  });

describe('create', () => {
  test('fills in the rest, shows the secret once, keeps it sealed and tells the timeline', async () => {
    const { webhook, signingSecret, warning } = await make();
    expect(webhook).toEqual({
      id: webhook.id,
      service: 'license',
      tenantId: ctx.tenantId,
      name: '203.0.114.10',
      url,
      events: licenseWebhooks.defaultEvents,
      productIds: null,
      redactEmail: false,
      headerNames: [],
      enabled: true,
      disabledAt: null,
      disabledReason: null,
      consecutiveFailures: 0,
      previousUntil: null,
      createdAt: ctx.now(),
      updatedAt: ctx.now(),
    });
    expect(webhook.id).toMatch(/^whk_[0-9A-Z]{26}$/);
    expect(signingSecret).toMatch(/^whs_[A-Za-z0-9_-]{43}$/);
    expect(warning).toBeNull();
    expect(await get(webhook.id)).toEqual(webhook);
    const row = await webhookRow(ctx, webhook.id);
    expect(JSON.stringify(row)).not.toContain(signingSecret);
    expect(ctx.keyring.open('secret', String(row.secret_enc), `webhook:${webhook.id}:secret`)).toBe(
      signingSecret,
    );
    expect(await app.eventsOf(webhook.id)).toEqual([
      { type: 'WEBHOOK_CREATED', data: { name: '203.0.114.10', url, events: webhook.events, enabled: true } },
    ]);
  });

  test('takes everything that may be said, and header values reach nobody', async () => {
    const product = await app.product();
    const headers = { Authorization: 'Bearer of-the-receiver', 'X-Team': 'licensing' };
    const { webhook } = await make({
      name: '  Büro 🚀 ',
      events: ['*'],
      productIds: [product.slug, product.id],
      redactEmail: true,
      headers,
      enabled: false,
    });
    expect(webhook).toMatchObject({
      name: 'Büro 🚀',
      events: ['*'],
      productIds: [product.id],
      redactEmail: true,
      headerNames: ['Authorization', 'X-Team'],
      enabled: false,
      disabledAt: ctx.now(),
      disabledReason: 'not enabled yet',
    });
    expect(await get(webhook.id)).toEqual(webhook);
    const told = JSON.stringify([webhook, await webhookRow(ctx, webhook.id), await app.eventsOf(webhook.id)]);
    expect(told).not.toContain('of-the-receiver');
  });

  test.each([
    ['url', { url: undefined }],
    ['url', { url: '' }],
    ['url', { url: 'ftp://203.0.114.10/' }],
    ['url', { url: 'http://203.0.114.10/' }],
    ['url', { url: 'https://ann:secret@203.0.114.10/' }],
    ['url', { url: 'https://10.0.0.1/' }],
    ['url', { url: 'https://[::1]/' }],
    ['url', { url: 'https://0x7f000001:5432/' }],
    ['url', { url: 'https://169.254.169.254/latest' }],
    ['url', { url: `https://203.0.114.10/${'x'.repeat(2028)}` }],
    ['name', { name: ' ' }],
    ['name', { name: 'x'.repeat(101) }],
    ['name', { name: 'a\0b' }],
    ['name', { name: 7 }],
    ['events', { events: [] }],
    ['events', { events: '*' }],
    ['events', { events: ['*', 'LICENSE_CREATED'] }],
    ['events', { events: ['LICENSE_CREATED', 'LICENSE_CREATED'] }],
    ['events', { events: ['WEBHOOK_TEST'] }],
    ['events', { events: ['SEAT_DENIED'] }],
    ['events', { events: ['__proto__'] }],
    ['productIds', { productIds: [] }],
    ['productIds', { productIds: ['prd_00000000000000000000000000'] }],
    ['redactEmail', { redactEmail: 'yes' }],
    ['enabled', { enabled: 1 }],
    ['headers', { headers: ['X-A: b'] }],
    ['', { secret: 'sixteen-characters' }],
  ] as [string, object][])('refuses %s of %j', async (path, input) => {
    expect(await faultsOf(make(input))).toEqual([path]);
    expect((await rows.page(ctx, { offset: 0, limit: 1 })).total).toBe(0);
  });

  test.each([
    ['LICENSE_CREATD', 'did you mean LICENSE_CREATED?'],
    ['license_revoked', 'did you mean LICENSE_REVOKED?'],
    ['SEAT_CHECKOUT', 'did you mean SEAT_CHECKED_OUT?'],
    ['order.created', 'appctl webhook events lists them'],
  ])('of the unknown event %s it says: %s', async (name, hint) => {
    expect((await refusalOf(make({ events: [name] }))).message).toContain(hint);
  });

  test('names, URLs and lists may be as long as the bounds say', async () => {
    const { webhook } = await make({
      name: '🚀'.repeat(100),
      url: `${url}?${'x'.repeat(2048 - url.length - 1)}`,
      events: licenseWebhooks.events.map(({ name }) => name),
    });
    expect([[...webhook.name].length, webhook.url.length, webhook.events.length]).toEqual([100, 2048, 25]);
  });

  test('a name that does not resolve now is taken with a warning; an opened range is taken with http', async () => {
    const made = await make({ url: 'https://nowhere.invalid/hooks' });
    expect(made.warning).toMatch(/^nowhere\.invalid does not resolve now/);
    expect((await make({ url: 'http://127.0.0.1:9000/' })).warning).toBeNull();
  });

  test.each([
    ['Host', 'x'],
    ['host', 'x'],
    ['Content-Type', 'text/plain'],
    ['Content-Length', '0'],
    ['Transfer-Encoding', 'chunked'],
    ['Connection', 'close'],
    ['Proxy-Authorization', 'x'],
    ['User-Agent', 'x'],
    ['X-Webhook-Signature', 'x'],
    ['x-webhook-anything', 'x'],
    ['X-Forwarded-For', 'x'],
    ['', 'x'],
    ['X A', 'x'],
    ['X-A:', 'x'],
    ['__proto__x', 'x'],
    ['Ümlaut', 'x'],
    [`X-${'a'.repeat(63)}`, 'x'],
    ['X-A', ''],
    ['X-A', ' x'],
    ['X-A', 'x\r\nHost: y'],
    ['X-A', 'ü'],
    ['X-A', 'x'.repeat(1025)],
    ['X-A', 5],
  ] as [string, unknown][])('refuses the header %j: %j', async (name, value) => {
    expect(await faultsOf(make({ headers: { [name]: value } as Record<string, string> }))).toEqual([
      `headers.${name}`,
    ]);
  });

  test('ten headers of 4096 characters together are the most', async () => {
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`X-${i}`, 'v']));
    expect((await make({ headers: many(10) })).webhook.headerNames).toHaveLength(10);
    expect(await faultsOf(make({ headers: many(11) }))).toEqual(['headers']);
    const long = (last: number) =>
      Object.fromEntries(['A', 'B', 'C', 'D'].map((name, i) => [name, 'x'.repeat(i < 3 ? 1024 : last)]));
    expect((await make({ headers: long(1020) })).webhook.headerNames).toHaveLength(4);
    expect(await faultsOf(make({ headers: long(1021) }))).toEqual(['headers']);
    expect(await faultsOf(make({ headers: { 'X-A': '1', 'x-a': '2' } }))).toEqual(['headers.x-a']);
  });

  test.each([
    ['x'.repeat(15), false],
    ['x'.repeat(16), true],
    ['x'.repeat(255), true],
    ['x'.repeat(256), false],
    ['', false],
    [`${'x'.repeat(20)}\n`, false],
    [`${'x'.repeat(20)}ü`, false],
    [` ${'x'.repeat(20)}`, false],
    ['with blanks inside it', true],
  ])('an own secret %j: %s', async (secret, isTaken) => {
    if (isTaken) expect((await make({}, { secret })).signingSecret).toBe(secret);
    else {
      const refused = await refusalOf(make({}, { secret }));
      expect(refused).toMatchObject({ code: 'VALIDATION_ERROR', details: { issues: [{ path: 'secret' }] } });
      if (secret.length > 1) expect(refused.message).not.toContain(secret);
    }
  });

  test('a rehearsal judges everything and writes nothing; a secret that cannot be kept leaves nothing', async () => {
    const kept: string[] = [];
    const keep = (secret: string) => void kept.push(secret);
    await make({}, {}, rehearsing(ctx));
    expect(await codeOf(make({ url: 'https://10.0.0.1/' }, {}, rehearsing(ctx)))).toBe('VALIDATION_ERROR');
    const keeping = (keepSecret: (secret: string) => void) =>
      ctx.with({ origin: { ...ctx.origin, keepSecret } });
    const broken = () => {
      throw new Error('disk full');
    };
    await expect(make({}, {}, keeping(broken))).rejects.toThrow('disk full');
    expect((await rows.page(ctx, { offset: 0, limit: 1 })).total).toBe(0);
    const { signingSecret } = await make({}, {}, keeping(keep));
    expect(kept).toEqual([signingSecret]);
  });
});
