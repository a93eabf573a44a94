// POST /api/v1/license/record-usage: the spec's field, state and error tables and repeats under one
// X-Idempotency-Key for 24 hours (D36, D37, D78 to D81, licensing 5.3).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { type Changes, nothing } from '../support/database-changes.ts';

const path = '/api/v1/license/record-usage';
const DAY = 86_400;
let app: TestApp;
let key: string;
beforeAll(async () => {
  app = await startApp();
  key = (await app.apiKey('VALIDATE_ONLY')).secret;
});
afterAll(() => app.close());

const post = (body: object, secret = key) =>
  app.changesBy(() => app.post(path, { feature: 'export', ...body }, secret));
const inDays = (days: number) => new Date(app.clock.epochMs() + days * DAY * 1000).toISOString();
const counted = (...marks: string[]): Changes => ({
  events: ['USAGE_RECORDED', ...marks].sort(),
  rows: { license_usage: '+1', licenses: '~1' },
});
/** In the order in which they were written: their ids sort so. */
async function usageEvents(id: string) {
  const rows: { type: string; data: string }[] = await app.instance.database.db
    .knex('events')
    .where('subject', id)
    .whereLike('type', 'USAGE_%')
    .orderBy('id');
  return rows.map(({ type, data }) => ({ type, data: JSON.parse(data) }));
}

/** Sends what must be refused with a code, and leaves nothing behind. */
async function refused(body: object, code: string, status = 400) {
  const { result, changes } = await post(body);
  expect([result.status, result.body.error?.code]).toEqual([status, code]);
  expect(changes).toEqual(nothing);
  return result.body;
}

const setStatus = (id: string, values: object) =>
  app.instance.database.transaction(async ({ knex }) => {
    await knex('licenses').where({ id }).update(values);
  });

describe('success', () => {
  it('counts, stores the feature with its metadata, and tells both in the event', async () => {
    const { id, key: licenseKey } = await app.license({ maxUses: 1000 });
    const metadata = { document: 'A4', pages: 3 };
    const { result, changes } = await post({ key: licenseKey, quantity: 5, metadata });
    expect(result.status).toBe(200);
    expect(result.body).toEqual({
      success: true,
      message: 'Usage recorded',
      usage: { current: 5, max: 1000, remaining: 995, percentUsed: 0.5 },
    });
    expect(changes).toEqual(counted());
    const [event] = await usageEvents(id);
    expect(event?.data).toMatchObject({
      licenseId: id,
      status: 'ACTIVE',
      details: { feature: 'export', quantity: 5, current: 5, max: 1000, metadata },
    });
    const [row] = await app.instance.database.db.knex('license_usage').where({ license_id: id });
    expect(row).toMatchObject({ feature: 'export', quantity: 5, epoch: 0, at: app.ctx.now() });
    expect(Number(row.counter_after)).toBe(5);
  });

  it('one use by default, and the limit is one over all features', async () => {
    const { key: licenseKey } = await app.license({ maxUses: 3 });
    for (const [feature, current] of [
      ['export', 1],
      ['import', 2],
    ] as const)
      expect((await post({ key: licenseKey, feature })).result.body.usage?.current).toBe(current);
    expect((await post({ key: licenseKey, feature: 'print' })).result.body.usage).toEqual({
      current: 3,
      max: 3,
      remaining: 0,
      percentUsed: 100,
    });
    await refused({ key: licenseKey, feature: 'another' }, 'USAGE_LIMIT_EXCEEDED');
  });

  it('without a limit prints current and max null only, and never a mark (D80)', async () => {
    const { id, key: licenseKey } = await app.license();
    const { result, changes } = await post({ key: licenseKey, quantity: 10_000 });
    expect(result.body.usage).toEqual({ current: 10_000, max: null });
    expect(changes).toEqual(counted());
    expect((await usageEvents(id))[0]?.data.details).toMatchObject({ max: null, metadata: null });
  });

  it('the limit of the license goes before that of its policy (D80)', async () => {
    const policy = await app.policy({ maxUses: 7 });
    const own = await app.license({ policyId: policy.id, maxUses: 2 });
    const inherited = await app.license({ policyId: policy.id });
    expect((await post({ key: own.key })).result.body.usage?.max).toBe(2);
    expect((await post({ key: inherited.key })).result.body.usage?.max).toBe(7);
  });

  it('validate shows the same usage afterwards', async () => {
    const { key: licenseKey } = await app.license({ maxUses: 3 });
    const { result } = await post({ licenseKey, quantity: 2 });
    const validated = await app.post(
      '/api/v1/license/validate',
      { licenseKey, machineId: 'machine-0001' },
      key,
    );
    expect(validated.body.usage).toEqual(result.body.usage);
    expect(validated.body.usage).toEqual({ current: 2, max: 3, remaining: 1, percentUsed: 66.67 });
  });

  it('gives the nonce back, and the key may be named licenseKey (D7)', async () => {
    const { key: licenseKey } = await app.license();
    const { result } = await post({ licenseKey, nonce: 'abcdefghijklmnop' });
    expect(result.body.nonce).toBe('abcdefghijklmnop');
  });
});

describe('limit', () => {
  it('USAGE_LIMIT_EXCEEDED is all or nothing and carries usage beside error (D1, D78)', async () => {
    const { key: licenseKey } = await app.license({ maxUses: 10 });
    await post({ key: licenseKey, quantity: 8 });
    const body = await refused({ key: licenseKey, quantity: 3 }, 'USAGE_LIMIT_EXCEEDED');
    expect(body.usage).toEqual({ current: 8, max: 10 });
    expect(body.error?.details).toEqual({ current: 8, max: 10, requested: 3 });
    expect((await post({ key: licenseKey, quantity: 2 })).result.status).toBe(200);
  });

  it('of 0 refuses everything', async () => {
    const { key: licenseKey } = await app.license({ maxUses: 0 });
    const body = await refused({ key: licenseKey }, 'USAGE_LIMIT_EXCEEDED');
    expect(body.usage).toEqual({ current: 0, max: 0 });
  });

  it('without one the counter ends where numbers stop being exact', async () => {
    const { id, key: licenseKey } = await app.license();
    const last = Number.MAX_SAFE_INTEGER;
    await setStatus(id, { current_uses: last - 1, usage_base: last - 1 });
    expect((await post({ key: licenseKey })).result.body.usage).toEqual({ current: last, max: null });
    const body = await refused({ key: licenseKey }, 'USAGE_LIMIT_EXCEEDED');
    expect(body.usage).toEqual({ current: last, max: null });
  });

  it.each<[what: string, maxUses: number, quantities: number[], marks: string[][]]>([
    ['79 to 80 of 100 warns', 100, [79, 1], [[], ['USAGE_WARNING']]],
    ['80 to 81 warns no more', 100, [80, 1], [['USAGE_WARNING'], []]],
    ['99 to 100 exhausts', 100, [99, 1], [['USAGE_WARNING'], ['USAGE_EXHAUSTED']]],
    ['a jump over both tells both', 100, [50, 50], [[], ['USAGE_WARNING', 'USAGE_EXHAUSTED']]],
    ['the first of one tells both', 1, [1], [['USAGE_WARNING', 'USAGE_EXHAUSTED']]],
    [
      'a mark between two numbers: 2 of 3 do not reach it',
      3,
      [2, 1],
      [[], ['USAGE_WARNING', 'USAGE_EXHAUSTED']],
    ],
  ])('%s (D79)', async (_what, maxUses, quantities, marks) => {
    const { id, key: licenseKey } = await app.license({ maxUses });
    for (const [index, quantity] of quantities.entries()) {
      const { changes } = await post({ key: licenseKey, quantity });
      expect(changes).toEqual(counted(...(marks[index] ?? [])));
    }
    const told = (await usageEvents(id)).map(({ type }) => type);
    expect(told).toEqual(marks.flatMap((of) => ['USAGE_RECORDED', ...of]));
  });

  it('the marks say feature, counter, limit, percentage and threshold', async () => {
    const { id, key: licenseKey } = await app.license({ maxUses: 3 });
    await post({ key: licenseKey, quantity: 3 });
    const facts = { feature: 'export', current: 3, max: 3, percentUsed: 100 };
    expect((await usageEvents(id)).slice(1).map(({ data }) => data.details)).toEqual([
      { ...facts, threshold: 80 },
      { ...facts, threshold: 100 },
    ]);
  });

  it('a raised limit arms the marks again', async () => {
    const { id, key: licenseKey } = await app.license({ maxUses: 2 });
    await post({ key: licenseKey, quantity: 2 });
    await setStatus(id, { max_uses: 4 });
    expect((await post({ key: licenseKey })).changes).toEqual(counted());
    expect((await post({ key: licenseKey })).changes).toEqual(counted('USAGE_WARNING', 'USAGE_EXHAUSTED'));
  });
});

describe('status', () => {
  const since = '2026-02-01T00:00:00.000Z';
  it.each([
    ['SUSPENDED', 'LICENSE_SUSPENDED', { suspended_at: since }],
    ['REVOKED', 'LICENSE_REVOKED', { revoked_at: since }],
  ])('%s answers %s with since when', async (status, code, more) => {
    const { id, key: licenseKey } = await app.license();
    await setStatus(id, { status, ...more });
    const { error } = await refused({ key: licenseKey }, code);
    expect(error?.details).toEqual({ status, since, expiredAt: null, grace: false });
  });

  it('EXPIRED answers LICENSE_EXPIRED', async () => {
    const expiredAt = inDays(-1);
    const { key: licenseKey } = await app.license({ validUntil: expiredAt });
    const { error } = await refused({ key: licenseKey }, 'LICENSE_EXPIRED');
    expect(error?.details).toEqual({ expiredAt, graceExpiresAt: null });
  });

  it('EXPIRED in grace is counted, as EXPIRED in its event, until the grace ends (D36)', async () => {
    const { id, key: licenseKey } = await app.license({ validUntil: inDays(1), gracePeriodSeconds: 60 });
    app.clock.advance(DAY + 59);
    expect((await post({ key: licenseKey })).changes).toEqual(counted('LICENSE_EXPIRED'));
    expect((await usageEvents(id))[0]?.data.status).toBe('EXPIRED');
    app.clock.advance(1);
    await refused({ key: licenseKey }, 'LICENSE_EXPIRED');
  });

  it('status goes before the limit', async () => {
    const { id, key: licenseKey } = await app.license({ maxUses: 0 });
    await setStatus(id, { status: 'SUSPENDED', suspended_at: since });
    await refused({ key: licenseKey }, 'LICENSE_SUSPENDED');
  });
});

describe('the key', () => {
  it('NOT_FOUND without details; INVALID_KEY for a character that no key has (D12, D13)', async () => {
    const { error } = await refused({ key: 'APP-0000-0000-0000-0000' }, 'NOT_FOUND', 404);
    expect(error?.details).toBeUndefined();
    await refused({ key: 'APP_7F3K_9QRS_0000' }, 'INVALID_KEY');
  });

  it('of another tenant or a product outside the API key is unknown (D19c)', async () => {
    const { key: foreign } = await app.license({}, await app.otherTenant());
    await refused({ key: foreign }, 'NOT_FOUND', 404);
    const { key: own } = await app.license();
    const confined = await app.apiKey('VALIDATE_ONLY', { productIds: [(await app.product()).id] });
    const { result, changes } = await post({ key: own }, confined.secret);
    expect([result.status, result.body.error?.code, changes]).toEqual([404, 'NOT_FOUND', nothing]);
  });

  it('READ_ONLY is INSUFFICIENT_SCOPE (D18)', async () => {
    const { key: own } = await app.license();
    const { result, changes } = await post({ key: own }, (await app.apiKey('READ_ONLY')).secret);
    expect([result.status, result.body.error?.code, changes]).toEqual([403, 'INSUFFICIENT_SCOPE', nothing]);
  });
});

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
