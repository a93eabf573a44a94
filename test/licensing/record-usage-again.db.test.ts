// X-Idempotency-Key of record-usage: a repeat counts nothing and gets the first answer for 24 hours (D81).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { nothing } from '../support/database-changes.ts';

const path = '/api/v1/license/record-usage';
const DAY = 86_400;
let app: TestApp;
let key: string;
beforeAll(async () => {
  app = await startApp();
  key = (await app.apiKey('VALIDATE_ONLY')).secret;
});
afterAll(() => app.close());

const record = (licenseKey: string, idempotencyKey: string, body: object = {}) =>
  app.changesBy(() =>
    app.post(path, { key: licenseKey, feature: 'export', ...body }, key, {
      'X-Idempotency-Key': idempotencyKey,
    }),
  );
const change = (id: string, values: object) =>
  app.instance.database.transaction(async ({ knex }) => {
    await knex('licenses').where({ id }).update(values);
  });
const oneMore = { events: ['USAGE_RECORDED'], rows: { license_usage: '+1', licenses: '~1' } };

describe('a repeat', () => {
  it('gets the first answer with idempotent true, and nothing is written', async () => {
    const { key: licenseKey } = await app.license({ maxUses: 10 });
    const body = { quantity: 2, metadata: { b: 1, a: [0, { c: null }] } };
    const first = await record(licenseKey, 'once', body);
    expect(first.changes).toEqual(oneMore);
    await record(licenseKey, 'another', { quantity: 3 });
    const again = await record(licenseKey, 'once', body);
    expect(again.result.status).toBe(200);
    expect(again.result.body).toEqual({ ...first.result.body, idempotent: true });
    expect(again.changes).toEqual(nothing);
  });

  it('is the same call with its fields in another order, with the default spelt out, and with null', async () => {
    const { key: licenseKey } = await app.license();
    await record(licenseKey, 'once', { metadata: { a: 1, b: { c: 2, d: -0 } } });
    for (const body of [
      { metadata: { b: { d: 0, c: 2 }, a: 1 } },
      { quantity: 1, metadata: { a: 1, b: { c: 2, d: 0 } } },
    ]) {
      const { result } = await record(licenseKey, 'once', body);
      expect([result.body.idempotent, result.body.idempotentMismatch]).toEqual([true, undefined]);
    }
    await record(licenseKey, 'bare');
    const { result } = await record(licenseKey, 'bare', { quantity: null, metadata: null });
    expect([result.body.idempotent, result.body.idempotentMismatch]).toEqual([true, undefined]);
  });

  it.each([
    ['feature', { feature: 'import' }],
    ['quantity', { quantity: 2 }],
    ['metadata', { metadata: { a: 1 } }],
    ['empty metadata', { metadata: {} }],
  ])('with another %s also says idempotentMismatch, as create does (D53)', async (_what, body) => {
    const { key: licenseKey } = await app.license({ maxUses: 10 });
    const first = await record(licenseKey, 'once');
    const { result, changes } = await record(licenseKey, 'once', body);
    expect(result.body).toEqual({ ...first.result.body, idempotent: true, idempotentMismatch: true });
    expect(changes).toEqual(nothing);
  });

  it('gets the answer of then, whatever became of the license: used up, another limit, suspended', async () => {
    const { id, key: licenseKey } = await app.license({ maxUses: 1 });
    const first = await record(licenseKey, 'once');
    await change(id, { max_uses: 50, current_uses: 0, usage_epoch: 1 });
    await change(id, { status: 'SUSPENDED', suspended_at: app.ctx.now() });
    const { result, changes } = await record(licenseKey, 'once');
    expect(result.body).toEqual({ ...first.result.body, idempotent: true });
    expect(changes).toEqual(nothing);
  });

  it('gives back its own nonce', async () => {
    const { key: licenseKey } = await app.license();
    await record(licenseKey, 'once', { nonce: 'abcdefghijklmnop' });
    const { result } = await record(licenseKey, 'once', { nonce: 'ABCDEFGHIJKLMNOP' });
    expect([result.body.nonce, result.body.idempotentMismatch]).toEqual(['ABCDEFGHIJKLMNOP', undefined]);
  });

  it('24 hours later is a call of its own, a millisecond before it is not', async () => {
    const { key: licenseKey } = await app.license({ maxUses: 10 });
    await record(licenseKey, 'once');
    app.clock.advance(DAY - 0.001);
    expect((await record(licenseKey, 'once')).result.body.idempotent).toBe(true);
    app.clock.advance(0.001);
    const { result, changes } = await record(licenseKey, 'once');
    expect([result.body.usage?.current, result.body.idempotent]).toEqual([2, undefined]);
    expect(changes).toEqual({
      events: ['USAGE_RECORDED'],
      rows: { license_usage: '+1 ~1', licenses: '~1' },
    });
    expect((await record(licenseKey, 'once')).result.body.usage?.current).toBe(2);
  });

  it('of an old key that is refused leaves that key where it was', async () => {
    const { key: licenseKey } = await app.license({ maxUses: 1 });
    await record(licenseKey, 'once');
    app.clock.advance(DAY);
    const { result, changes } = await record(licenseKey, 'once');
    expect([result.body.error?.code, changes]).toEqual(['USAGE_LIMIT_EXCEEDED', nothing]);
  });
});

describe('the key', () => {
  it('belongs to one license', async () => {
    const one = await app.license();
    const other = await app.license();
    await record(one.key, 'shared');
    expect((await record(other.key, 'shared')).changes).toEqual(oneMore);
  });

  it('stays free when the call was refused', async () => {
    const { id, key: licenseKey } = await app.license({ maxUses: 0 });
    expect((await record(licenseKey, 'once')).changes).toEqual(nothing);
    await change(id, { max_uses: 5 });
    const { result, changes } = await record(licenseKey, 'once');
    expect([result.body.idempotent, changes.events]).toEqual([undefined, ['USAGE_RECORDED']]);
  });

  it('holds 1 to 255 printable characters; an empty one is none', async () => {
    const { key: licenseKey } = await app.license();
    for (const idempotencyKey of ['x', 'x'.repeat(255), ' ~', '', '']) {
      expect((await record(licenseKey, idempotencyKey)).changes.events).toEqual(['USAGE_RECORDED']);
    }
    for (const idempotencyKey of ['x'.repeat(256), 'caf\u00e9']) {
      const { result, changes } = await record(licenseKey, idempotencyKey);
      expect([result.body.error?.code, changes]).toEqual(['VALIDATION_ERROR', nothing]);
    }
  });

  it('does not open a license that the API key may not know of', async () => {
    const { key: licenseKey } = await app.license();
    await record(licenseKey, 'once');
    const other = (await app.apiKey('VALIDATE_ONLY', { productIds: [(await app.product()).id] })).secret;
    const reply = await app.post(path, { key: licenseKey, feature: 'export' }, other, {
      'X-Idempotency-Key': 'once',
    });
    expect([reply.status, reply.body.error?.code]).toEqual([404, 'NOT_FOUND']);
  });

  it('sent by many at once counts once', async () => {
    const { id, key: licenseKey } = await app.license({ maxUses: 50 });
    const replies = await Promise.all(
      Array.from({ length: 20 }, () =>
        app.post(path, { key: licenseKey, feature: 'export' }, key, { 'X-Idempotency-Key': 'once' }),
      ),
    );
    expect(replies.map(({ body }) => body.usage?.current)).toEqual(replies.map(() => 1));
    expect(replies.filter(({ body }) => body.idempotent === undefined)).toHaveLength(1);
    expect((await app.eventsOf(id)).filter(({ type }) => type === 'USAGE_RECORDED')).toHaveLength(1);
  });
});
