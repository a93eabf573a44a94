// X-Idempotency-Key on create, and create-bulk (D53, D54, M5; A077).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as customers from '#licensing/catalog/customers/index.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { nothing } from '../support/database-changes.ts';
import type { Answer } from '../support/http-client.ts';

const customerEmail = 'ann@x.test';
let app: TestApp;
let key: string;
let productId: string;
beforeAll(async () => {
  app = await startApp();
  key = (await app.apiKey('CREATE_LICENSE')).secret;
  productId = (await app.product()).id;
  await customers.create(app.ctx, { email: customerEmail });
});
afterAll(() => app.close());

const header = (text: string) => ({ 'X-Idempotency-Key': text });
const create = (text: string, body: object = {}, secret = key) =>
  app.changesBy(() =>
    app.post('/api/v1/license/create', { productId, customerEmail, ...body }, secret, header(text)),
  );
const stored = (count: number, keys = count) => ({
  events: Array.from({ length: count }, () => 'LICENSE_CREATED'),
  rows: {
    ...(count > 0 && { licenses: `+${count}`, license_keys: `+${count}` }),
    ...(keys > 0 && { license_idempotency: `+${keys}` }),
  },
});

describe('the same key again', () => {
  it('answers 200 with the license as it is now, and makes nothing', async () => {
    const first = await create('again');
    expect([first.result.status, first.changes]).toEqual([201, stored(1)]);
    expect(first.result.body).not.toHaveProperty('idempotent');
    app.clock.advance(60);
    const { result, changes } = await create('again');
    expect(result.status).toBe(200);
    expect(result.body).toEqual({ ...first.result.body, idempotent: true });
    expect(changes).toEqual(nothing);
  });

  it('with another body tells the mismatch', async () => {
    const first = await create('other body');
    const { result, changes } = await create('other body', { tier: 'BUSINESS' });
    expect(result.body).toEqual({ ...first.result.body, idempotent: true, idempotentMismatch: true });
    expect(changes).toEqual(nothing);
  });

  it('from another API key of the tenant is the same namespace', async () => {
    const other = (await app.apiKey('FULL_ADMIN')).secret;
    await create('shared');
    expect((await create('shared', {}, other)).result.status).toBe(200);
  });

  it('in another case is another key', async () => {
    await create('Case');
    expect((await create('case')).changes).toEqual(stored(1));
  });

  it('still answers when the product is not sold any more', async () => {
    const old = await app.product();
    await create('sold', { productId: old.id });
    await products.setStatus(app.ctx, old.id, 'DISCONTINUED');
    expect((await create('sold', { productId: old.id })).result.status).toBe(200);
  });

  it('is free after a create that failed', async () => {
    const failed = await create('failed', { productId: 'no-such' });
    expect([failed.result.status, failed.changes]).toEqual([404, nothing]);
    expect((await create('failed')).changes).toEqual(stored(1));
  });
});

describe('the header', () => {
  it('has 1 to 255 characters; empty counts as absent', async () => {
    expect((await create('x'.repeat(255))).changes).toEqual(stored(1));
    const refused = await create('x'.repeat(256));
    expect([refused.result.status, refused.result.body.error?.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(refused.changes).toEqual(nothing);
    for (const _ of [1, 2]) expect((await create('')).changes).toEqual(stored(1, 0));
  });

  it.each(['caf\u00e9', '\u00ff', 'tab\there'])(
    '%j holds a character that is not printable ASCII (M5)',
    async (text) => {
      const { result, changes } = await create(text);
      expect([result.status, result.body.error?.code]).toEqual([400, 'VALIDATION_ERROR']);
      expect(changes).toEqual(nothing);
    },
  );

  it('is judged on create-bulk as well', async () => {
    const path = '/api/v1/license/create-bulk';
    const reply = await app.post(path, { licenses: [{}] }, key, header('x'.repeat(256)));
    expect(reply.status).toBe(400);
  });
});

describe('create-bulk', () => {
  const item = (more: object = {}) => ({ productId, customerEmail, ...more });
  const bulk = (licenses: unknown, text?: string) =>
    app.changesBy(() =>
      app.post('/api/v1/license/create-bulk', { licenses }, key, text === undefined ? {} : header(text)),
    );
  const results = (body: Answer) => body.results as unknown as Answer[];

  it('makes all, in input order, and answers 201', async () => {
    const tiers = ['BUSINESS', 'PERSONAL', 'ENTERPRISE'];
    const { result, changes } = await bulk(tiers.map((tier) => item({ tier })));
    expect([result.status, changes]).toEqual([201, stored(3, 0)]);
    expect(results(result.body).map(({ success, license }) => [success, license?.tier])).toEqual(
      tiers.map((tier) => [true, tier]),
    );
    const source = await app.instance.database.db
      .knex('licenses')
      .where({ id: String(results(result.body)[0]?.license?.id) })
      .first('source');
    expect(source).toEqual({ source: 'BULK' });
  });

  it('a bad item costs only itself, and the answer is 207', async () => {
    const items = [
      item(),
      item({ maxActivations: 0 }),
      item({ productId: 'no-such' }),
      item(),
      null,
      'x',
      [],
    ];
    const { result, changes } = await bulk(items);
    expect([result.status, changes]).toEqual([207, stored(2, 0)]);
    expect(results(result.body).map((one) => one.error?.code ?? 'ok')).toEqual([
      'ok',
      'VALIDATION_ERROR',
      'NOT_FOUND',
      'ok',
      'VALIDATION_ERROR',
      'VALIDATION_ERROR',
      'VALIDATION_ERROR',
    ]);
    expect(results(result.body)[1]?.error?.details?.issues).toMatchObject([{ path: 'maxActivations' }]);
  });

  it('answers 207 also when all fail', async () => {
    const { result, changes } = await bulk([item({ tier: 'GOLD' })]);
    expect([result.status, result.body.success, changes]).toEqual([207, true, nothing]);
  });

  it('takes 1 to 20 items', async () => {
    const many = (count: number) => Array.from({ length: count }, () => item());
    expect((await bulk(many(1))).changes).toEqual(stored(1, 0));
    expect((await bulk(many(20))).changes).toEqual(stored(20, 0));
    for (const licenses of [many(0), many(21), item(), null, 'x', { 0: item() }]) {
      const { result, changes } = await bulk(licenses);
      expect([result.status, result.body.error?.code]).toEqual([400, 'VALIDATION_ERROR']);
      expect(changes).toEqual(nothing);
    }
  });

  it('gives every item the key with its index; replayed ones count as success (D53)', async () => {
    const first = await bulk([item(), item({ tier: 'GOLD' }), item()], 'bulk');
    expect([first.result.status, first.changes]).toEqual([207, stored(2)]);
    // The failed one stored nothing, so its key stayed free; the others answer with what they made.
    const again = await bulk([item(), item({ tier: 'BUSINESS' }), item({ tier: 'BUSINESS' })], 'bulk');
    expect([again.result.status, again.changes]).toEqual([201, stored(1)]);
    const [one, two, three] = results(again.result.body);
    expect(one).toEqual({ ...results(first.result.body)[0], idempotent: true });
    expect(two).not.toHaveProperty('idempotent');
    expect(three).toMatchObject({ idempotent: true, idempotentMismatch: true });
    // A single create with the suffixed key meets the same claim.
    expect((await create('bulk:0')).result.body.license?.id).toBe(one?.license?.id);
  });

  it('takes 20 items of the largest legal size, fully escaped (A077)', async () => {
    const escaped = (length: number) => '\\u00e9'.repeat(length);
    const pairs = Array.from({ length: 20 }, (_, index) => {
      const name = `${escaped(98)}${String(index).padStart(2, '0')}`;
      return `"${name}":"${'\\ud83d\\ude00'.repeat(1000)}"`;
    });
    const one = `{"productId":"${productId}","customerEmail":"${customerEmail}","customerName":"${escaped(255)}",
      "orderId":"${escaped(255)}","metadata":{${pairs.join(',')}}}`;
    const body = `{"licenses":[${Array.from({ length: 20 }, () => one).join(',')}]}`;
    expect(body.length).toBeGreaterThan(4_000_000);
    const json = { 'Content-Type': 'application/json' };
    const { result } = await app.changesBy(() => app.post('/api/v1/license/create-bulk', body, key, json));
    expect(result.status).toBe(201);
  });
});
