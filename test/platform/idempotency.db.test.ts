// Idempotency-Key at the admin API: what is sent again gets the answer of the first time (reliability M5). On both staff
// surfaces: test/platform/admin/shapes.db.test.ts; each operation: test/contract/repeated.db.test.ts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MadeKey, startApp, type TestApp } from '../support/app.ts';
import { runJob } from '../support/jobs.ts';
import { LOOPBACK_PINS } from '../support/webhooks.ts';

let app: TestApp;
let owner: MadeKey;
beforeAll(async () => {
  app = await startApp({ pins: LOOPBACK_PINS });
  owner = await app.adminToken('owner');
});
afterAll(() => app.close());

let last = 0;
const fresh = (): string => {
  last += 1;
  return `key ${last}`;
};
const send = (path: string, body: object, key: string, token = owner, headers = {}) =>
  app.admin(path, token, { method: 'POST', body, headers: { 'Idempotency-Key': key, ...headers } });
/** Makes the row of a key what it would be in another moment. */
const alter = (key: string, row: object) =>
  app.ctx.tx(({ db }) => db.knex('idempotency_keys').where({ key }).update(row));
const rowsOf = async (table: string): Promise<number> => (await app.ctx.db.knex(table)).length;

describe('an item that is made with a key', () => {
  it('is made once: a repetition is answered as the first time, with the secret that is shown once', async () => {
    const key = fresh();
    const body = { url: 'https://receiver.example/hook' };
    const first = await send('/webhooks', body, key);
    const before = await rowsOf('webhooks');
    const again = await send('/webhooks', body, key);
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.body).toEqual(first.body);
    expect(await rowsOf('webhooks')).toBe(before);
    const secret = String(first.body.signingSecret);
    const stored = await app.ctx.db.knex('idempotency_keys').where({ key });
    expect(secret.length).toBeGreaterThan(16);
    expect([stored.length, JSON.stringify(stored).includes(secret)]).toEqual([1, false]);
  });

  it('is not made for another body: 409, whatever became of the first', async () => {
    const key = fresh();
    await send('/policies', { name: 'first' }, key);
    const other = await send('/policies', { name: 'second' }, key);
    expect([other.status, other.body.error?.code, other.body.error?.details?.reason]).toEqual([
      409,
      'CONFLICT',
      'IDEMPOTENCY_MISMATCH',
    ]);
  });

  it('is made again under the same key by somebody else, in another tenant and by another operation', async () => {
    const key = fresh();
    const other = await app.otherTenant();
    const tokens = [await app.adminToken('owner'), await app.adminToken('owner', {}, other)];
    const ids = [];
    for (const [n, token] of [owner, ...tokens].entries())
      ids.push((await send('/policies', { name: `shared ${n}` }, key, token)).body.policy?.id);
    expect(new Set(ids).size).toBe(3);
    const webhook = await send('/webhooks', { url: 'https://receiver.example/shared' }, key);
    expect(webhook.status).toBe(201);
  });

  it('leaves the key free when it was refused, or rehearsed', async () => {
    const key = fresh();
    await send('/policies', { name: 'taken' }, fresh());
    expect((await send('/policies', { name: 'taken' }, key)).status).toBe(409);
    expect((await send('/policies', { name: 'planned' }, key, owner, { 'Dry-Run': 'true' })).status).toBe(
      201,
    );
    const made = await send('/policies', { name: 'planned' }, key);
    expect([made.status, made.body.policy?.name]).toEqual([201, 'planned']);
    const rehearsed = await send('/policies', { name: 'planned' }, key, owner, { 'Dry-Run': 'true' });
    expect(rehearsed.status).toBe(409);
  });

  it('is made twice without a key; one that is no printable ASCII or too long is refused', async () => {
    const unnamed = { url: 'https://receiver.example/twice' };
    const ids = [await send('/webhooks', unnamed, ''), await send('/webhooks', unnamed, '')];
    expect(new Set(ids.map(({ body }) => body.webhook?.id)).size).toBe(2);
    for (const key of ['café', 'x'.repeat(256)]) {
      const { status, body } = await send('/policies', { name: key }, key);
      expect([status, body.error?.code]).toEqual([400, 'VALIDATION_ERROR']);
    }
  });

  it('is made once by many requests at once', async () => {
    const key = fresh();
    const all = await Promise.all(
      Array.from({ length: 20 }, () => send('/policies', { name: 'parallel' }, key)),
    );
    expect(new Set(all.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(all[0]?.status).toBe(201);
  });

  it('is not made again when the answer to the first is not known: 409', async () => {
    const key = fresh();
    await send('/policies', { name: 'lost' }, key);
    // As a process leaves it that dies between its commit and the answer.
    await alter(key, { answer: null });
    const { status, body } = await send('/policies', { name: 'lost' }, key);
    expect([status, body.error?.details?.reason]).toEqual([409, 'IN_PROGRESS']);
  });
});

describe('after 24 hours', () => {
  it('the key is free, and its row is removed', async () => {
    const key = fresh();
    await send('/webhooks', { url: 'https://receiver.example/day' }, key);
    await alter(key, { created_at: '2020-01-01T00:00:00.000Z' });
    const before = await rowsOf('webhooks');
    await send('/webhooks', { url: 'https://receiver.example/day' }, key);
    expect(await rowsOf('webhooks')).toBe(before + 1);
    await alter(key, { created_at: '2020-01-01T00:00:00.000Z' });
    await runJob(app.ctx, 'purge-idempotency-keys');
    expect(await app.ctx.db.knex('idempotency_keys').where({ key })).toEqual([]);
  });
});

describe('what is done with items', () => {
  it('is done once: an action, and a bulk run whose refusals are told again', async () => {
    const { id: productId } = await app.product();
    const license = await send('/licenses', { productId, customerEmail: 'ann@example.com' }, '');
    const id = String(license.body.license?.id);
    const key = fresh();
    const renewed = await send(`/licenses/${id}/renew`, { extendDays: 30 }, key);
    const again = await send(`/licenses/${id}/renew`, { extendDays: 30 }, key);
    expect([renewed.status, again.body]).toEqual([200, renewed.body]);
    const bulk = { action: 'renew', ids: [id, 'nobody'], params: { extendDays: 30 } };
    const done = await send('/licenses/bulk', bulk, key);
    expect(done.body.summary).toEqual({ total: 2, succeeded: 1, failed: 1 });
    expect((await send('/licenses/bulk', bulk, key)).body).toEqual(done.body);
    const shown = await app.admin(`/licenses/${id}`, owner);
    const start = Date.parse(String(renewed.body.license?.validUntil));
    expect(Date.parse(String(shown.body.license?.validUntil)) - start).toBe(30 * 86_400_000);
  });
});

describe('a license', () => {
  it('knows its key for good, whoever of the tenant sends it, and says when the body was another', async () => {
    const { id: productId } = await app.product();
    const key = fresh();
    const body = { productId, customerEmail: 'ann@example.com' };
    const first = await send('/licenses', body, key);
    const again = await send('/licenses', body, key, await app.adminToken('owner'));
    const other = await send('/licenses', { ...body, tier: 'BUSINESS' }, key);
    const ids = [first, again, other].map(({ body }) => body.license?.id);
    expect(new Set(ids).size).toBe(1);
    expect([first, again, other].map(({ body }) => [body.idempotent, body.idempotentMismatch])).toEqual([
      [false, false],
      [true, false],
      [true, true],
    ]);
    const named = await send('/licenses', { ...body, idempotencyKey: key }, '');
    expect([named.body.license?.id, named.body.idempotent]).toEqual([ids[0], true]);
    const two = await send('/licenses', { ...body, idempotencyKey: 'another' }, key);
    expect([two.status, two.text.includes('Idempotency-Key')]).toEqual([400, true]);
  });
});
