// How a webhook is made, and what is refused (licensing 4.2, D121, D125).
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Ctx } from '#kernel/context.ts';
import { licenseWebhooks } from '#licensing/insight/webhooks/index.ts';
import * as webhooks from '#platform/webhooks/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { codeOf, faultsOf, refusalOf } from '../support/refusal.ts';
import { LOOPBACK_PINS, webhookRow } from '../support/webhooks.ts';

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
    expect((await webhooks.list(ctx, licenseWebhooks, { offset: 0, limit: 1 })).total).toBe(0);
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
    await make({}, { dryRun: true, keep });
    expect(kept).toEqual([]);
    expect(await codeOf(make({ url: 'https://10.0.0.1/' }, { dryRun: true }))).toBe('VALIDATION_ERROR');
    const broken = () => {
      throw new Error('disk full');
    };
    await expect(make({}, { keep: broken })).rejects.toThrow('disk full');
    expect((await webhooks.list(ctx, licenseWebhooks, { offset: 0, limit: 1 })).total).toBe(0);
    const { signingSecret } = await make({}, { keep });
    expect(kept).toEqual([signingSecret]);
  });
});
