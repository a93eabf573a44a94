// GET /api/v1/license/by-order/{orderId} (spec; D18, D19c, D23, D42, D55).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { nothing } from '../support/database-changes.ts';

let app: TestApp;
let apiKey: string;
let productId: string;
beforeAll(async () => {
  app = await startApp();
  apiKey = (await app.apiKey('CREATE_LICENSE')).secret;
  productId = (await app.product()).id;
});
afterAll(() => app.close());

const path = (orderId: string) => `/api/v1/license/by-order/${encodeURIComponent(orderId)}`;
const found = async (orderId: string, key = apiKey) => {
  const { result, changes } = await app.changesBy(() => app.get(path(orderId), key));
  expect([result.status, changes]).toEqual([200, nothing]);
  return result.body as unknown as { licenses: { id: string; status: string }[]; total?: number };
};
const idsOf = async (orderId: string, key = apiKey) =>
  (await found(orderId, key)).licenses.map((license) => license.id);
const order = (orderId: string, extra: Parameters<TestApp['license']>[0] = {}) =>
  app.license({ productId, orderId, ...extra });

describe('by-order', () => {
  it('answers with LicenseCreated of every license of the order, the whole key included', async () => {
    const { id, key } = await order('A-1', { type: 'SUBSCRIPTION', tier: 'BUSINESS', maxActivations: 4 });
    await order('A-2');
    expect(await found('A-1')).toEqual({
      success: true,
      licenses: [
        {
          id,
          key,
          productId,
          product: productId,
          type: 'SUBSCRIPTION',
          tier: 'BUSINESS',
          status: 'ACTIVE',
          maxActivations: 4,
          validUntil: null,
          createdAt: app.ctx.now(),
        },
      ],
    });
  });

  it('none match: 200 with an empty list', async () => {
    expect(await found('nobody ordered this')).toEqual({ success: true, licenses: [] });
  });

  it('the match is exact and case-sensitive', async () => {
    const { id } = await order('Order-7');
    expect(await idsOf('Order-7')).toEqual([id]);
    for (const other of ['order-7', 'ORDER-7', 'Order-', 'Order-77', ' Order-7', 'Order%', 'Order_7', '%'])
      expect(await idsOf(other)).toEqual([]);
  });

  it.each([
    ...[
      'a/b',
      'a?b=c',
      'a#b',
      'a%2Fb',
      '100 %',
      'a+b',
      'a b',
      '#1042',
      '..',
      "'; DROP TABLE licenses",
      'ä\u{1F600}',
    ],
    ...['{key}', ':id', '<script>', '__proto__', 'e\u0301', '\u00e9', 'a\tb', '"', '\\'],
  ])('an order named %j is found by its percent-encoded name, and only by it', async (orderId) => {
    const { id } = await order(orderId);
    expect(await idsOf(orderId)).toEqual([id]);
  });

  it('createdAt ascending, at most 100, and then additive total (D55)', async () => {
    const made: string[] = [];
    for (let number = 0; number < 100; number++) {
      made.push((await order('large')).id);
      app.clock.advance(0.001);
    }
    expect(await found('large')).toEqual({
      success: true,
      licenses: made.map((id) => expect.objectContaining({ id })),
    });
    // An imported license is the oldest by its date, although its id is the newest.
    const imported = (await order('large')).id;
    await app.instance.database.transaction(({ knex }) =>
      knex('licenses').where({ id: imported }).update({ created_at: '2020-01-01T00:00:00.000Z' }),
    );
    const { licenses: shown, total } = await found('large');
    expect([shown.map(({ id }) => id), total]).toEqual([[imported, ...made.slice(0, 99)], 101]);
  });

  it('shows the status that counts now, revoked licenses too, and none in the trash (D34, D42)', async () => {
    const validUntil = new Date(app.clock.epochMs() + 1000).toISOString();
    const [expired, revoked, trashed] = [
      await order('mixed', { validUntil }),
      await order('mixed'),
      await order('mixed'),
    ];
    await licenses.revoke(app.ctx, { licenseId: revoked.id }, null);
    await app.instance.database.transaction(({ knex }) =>
      knex('licenses').where({ id: trashed.id }).update({ deleted_at: app.ctx.now() }),
    );
    app.clock.advance(1);
    const { licenses: shown } = await found('mixed');
    expect(new Map(shown.map(({ id, status }) => [id, status]))).toEqual(
      new Map([
        [expired.id, 'EXPIRED'],
        [revoked.id, 'REVOKED'],
      ]),
    );
  });

  it('hides another tenant, and products outside the API key, from list and total (D19c, D132)', async () => {
    const other = await app.otherTenant();
    const foreignKey = (await app.apiKey('CREATE_LICENSE', {}, other)).secret;
    const foreign = await app.license({ orderId: 'shared' }, other);
    const [one, two] = [await order('shared'), await app.license({ orderId: 'shared' })];
    const confined = (await app.apiKey('FULL_ADMIN', { productIds: [productId] })).secret;
    expect(new Set(await idsOf('shared'))).toEqual(new Set([one.id, two.id]));
    expect(await idsOf('shared', foreignKey)).toEqual([foreign.id]);
    expect(await idsOf('shared', confined)).toEqual([one.id]);
    expect(await found('large', (await app.apiKey('FULL_ADMIN', { productIds: [] })).secret)).toEqual({
      success: true,
      licenses: [],
    });
  });

  it.each([
    ['256 characters', path('x'.repeat(256))],
    ['256 code points', path('\u{1F600}'.repeat(256))],
    ['U+0000', '/api/v1/license/by-order/a%00b'],
  ])('%s: 400 VALIDATION_ERROR', async (_what, asked) => {
    const { status, body } = await app.get(asked, apiKey);
    expect([status, body.error?.code, body.error?.details?.issues]).toEqual([
      400,
      'VALIDATION_ERROR',
      [expect.objectContaining({ path: 'orderId' })],
    ]);
  });

  it('255 characters are found, in code points', async () => {
    for (const orderId of ['x'.repeat(255), '\u{1F600}'.repeat(255)]) {
      const { id } = await order(orderId);
      expect(await idsOf(orderId)).toEqual([id]);
    }
  });

  it('broken percent-encoding, no order and two segments are no endpoint', async () => {
    for (const broken of ['%', '%zz', '%ff', 'a%2', '%ed%a0%80']) {
      const { status, body } = await app.get(`/api/v1/license/by-order/${broken}`, apiKey);
      expect([broken, status, body.error?.code]).toEqual([broken, 404, 'NOT_FOUND']);
    }
    expect((await app.get('/api/v1/license/by-order/', apiKey)).body.error?.code).toBe('NOT_FOUND');
    expect((await app.get('/api/v1/license/by-order/a/b', apiKey)).body.error?.code).toBe('NOT_FOUND');
  });
});
