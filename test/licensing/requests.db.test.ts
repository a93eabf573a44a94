// The request log (licensing 6.6): what is recorded of a call, of whom, and what is never kept.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { requestLog } from '#licensing/contract/settings.ts';
import * as requests from '#licensing/insight/requests/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import * as settings from '#platform/settings/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { codeOf } from '../support/refusal.ts';

const machineId = 'machine-of-ann-01';

let app: TestApp;
let key: { id: string; secret: string };
beforeAll(async () => {
  app = await startApp();
  key = await app.apiKey('FULL_ADMIN');
});
afterAll(() => app.close());
beforeEach(() => record('denials'));

/** What the setting says from now on. */
async function record(value: 'off' | 'denials' | 'all'): Promise<void> {
  await settings.set(app.ctx, { key: requestLog.key, value });
}

const post = (path: string, body: object, secret: string | undefined = key.secret) =>
  app.post(`/api/v1/license/${path}`, body, secret, { 'User-Agent': 'editor/2.1' });

/** The record of a request, written as the job writes it. */
async function recordOf(requestId: unknown) {
  await requests.flushRequests(app.ctx);
  return requests.get(app.ctx, String(requestId));
}

describe('a refusal', () => {
  it('is kept with its route, code, license, caller and trace', async () => {
    const { id, key: licenseKey } = await app.license({
      type: 'TRIAL',
      validUntil: '2026-02-01T00:00:00.000Z',
    });
    const { body } = await post('activate', { licenseKey, machineId, machineName: 'desk of Ann' });
    const kept = await recordOf(body.requestId);
    expect(kept).toEqual({
      id: body.requestId,
      at: app.ctx.now(),
      method: 'POST',
      route: '/api/v1/license/activate',
      status: 400,
      code: 'ACTIVATION_FAILED',
      bucket: null,
      licenseId: id,
      apiKeyId: key.id,
      ip: '127.0.0.1',
      userAgent: 'editor/2.1',
      ms: expect.any(Number),
      facts: expect.objectContaining({ action: 'activate', code: 'EXPIRED', at: app.ctx.now(), used: 0 }),
      trace: expect.arrayContaining([
        { rule: 'not expired', result: 'fail', text: 'expired at 2026-02-01T00:00:00.000Z, no grace' },
        { rule: 'a seat is free', result: 'skip', text: '0 of 1 in use' },
      ]),
    });
  });

  it('that an earlier version recorded names its rules in words', async () => {
    const { key: licenseKey } = await app.license({ type: 'TRIAL', validUntil: '2026-02-01T00:00:00.000Z' });
    const { body } = await post('activate', { licenseKey, machineId });
    const { id } = await recordOf(body.requestId);
    const text = 'expired at 2026-02-01T00:00:00.000Z, no grace';
    const trace = JSON.stringify([
      { rule: 'D34', result: 'fail', text },
      { rule: '6.8', result: 'skip', text },
    ]);
    await app.ctx.tx((ctx) => ctx.db.knex('license_requests').where({ id }).update({ trace }));
    expect((await recordOf(id)).trace).toEqual([
      { rule: text, result: 'fail', text },
      { rule: text, result: 'skip', text },
    ]);
  });

  it('holds no key, address, name or machine', async () => {
    const features = { contact: 'ann@x.test', export: true };
    const license = await app.license({ features, customerName: 'Ann Example' });
    const activate = { licenseKey: license.key, machineName: 'desk of Ann' };
    await post('activate', { ...activate, machineId });
    const { body } = await post('activate', { ...activate, machineId: 'machine-of-bob-01' });
    const text = JSON.stringify(await recordOf(body.requestId));
    for (const secret of [license.key, 'ann@x.test', 'Ann', machineId, 'machine-of-bob', key.secret]) {
      expect(text).not.toContain(secret);
    }
  });

  it('of an entitlement is one when the license is of no use; of the features only the asked one is kept', async () => {
    const features = { big: 'x'.repeat(500), small: [1], secret: 'ann@x.test' };
    const { id, key: licenseKey } = await app.license({ features });
    await record('all');
    const keptOf = async (entitlement: string) => {
      const { headers } = await post('validate-entitlement', { licenseKey, entitlement });
      return recordOf(headers['x-request-id']);
    };
    for (const [name, kept] of [
      ['small', [['small', [1]]]],
      ['big', [['big', '(too long to keep)']]],
      ['toString', []],
    ] as const)
      expect((await keptOf(name)).facts?.license?.features).toEqual(kept);
    await record('denials');
    await licenses.suspend(app.ctx, id, { reason: 'ADMIN', note: null });
    expect(await keptOf('small')).toMatchObject({
      status: 200,
      code: 'SUSPENDED',
      facts: { code: 'SUSPENDED' },
    });
  });

  it.each([
    ['a body that is none', { licenseKey: 5 }, 'VALIDATION_ERROR', 400],
    ['an unknown license', { licenseKey: 'APP-AAAA-BBBB-CCCC-DDDD', machineId }, 'NOT_FOUND', 404],
  ])('of %s names no license', async (_name, sent, code, status) => {
    const { body } = await post('activate', sent);
    expect(await recordOf(body.requestId)).toMatchObject({ code, status, licenseId: null, apiKeyId: key.id });
  });

  it('for its scope names the API key that was refused', async () => {
    const weak = await app.apiKey('READ_ONLY');
    const { body } = await post('activate', {}, weak.secret);
    expect(await recordOf(body.requestId)).toMatchObject({ code: 'INSUFFICIENT_SCOPE', apiKeyId: weak.id });
  });

  it('of an unknown path or caller is nobody’s', async () => {
    const { body: unknown } = await app.get('/api/v1/nothing', key.secret);
    const { body: stranger } = await post('validate', {}, 'alk_nobody');
    expect(await recordOf(unknown.requestId)).toMatchObject({ route: '/api', code: 'NOT_FOUND' });
    expect(await recordOf(stranger.requestId)).toMatchObject({ code: 'INVALID_API_KEY', apiKeyId: null });
    expect(await codeOf(requests.get(await app.otherTenant(), String(stranger.requestId)))).toBe('NOT_FOUND');
  });
});

describe('licensing.request_log', () => {
  const validate = async (licenseKey: string) => {
    const { headers } = await post('validate', { licenseKey, machineId });
    return headers['x-request-id'];
  };
  const found = (id: unknown) =>
    recordOf(id).then(
      (kept) => kept.code,
      () => null,
    );

  it('denials: a valid false is one, though its status is 200; a valid true is not', async () => {
    const { key: licenseKey } = await app.license();
    const refused = await validate(licenseKey);
    await post('activate', { licenseKey, machineId });
    const allowed = await validate(licenseKey);
    expect(await recordOf(refused)).toMatchObject({ status: 200, code: 'NOT_ACTIVATED' });
    expect(await found(allowed)).toBeNull();
  });

  it('all: also what was allowed', async () => {
    const { key: licenseKey } = await app.license();
    await record('all');
    await post('activate', { licenseKey, machineId });
    expect(await found(await validate(licenseKey))).toBe('VALID');
    const products = await app.get('/api/v1/products', key.secret);
    expect(await recordOf(products.headers['x-request-id'])).toMatchObject({
      status: 200,
      code: null,
      facts: null,
      trace: null,
    });
  });

  it('off: nothing', async () => {
    await record('off');
    expect(await found(await validate('APP-AAAA-BBBB-CCCC-DDDD'))).toBeNull();
  });
});

describe('a list', () => {
  it('filters, newest first, and shows a tenant its own', async () => {
    const { id, key: licenseKey } = await app.license();
    await post('validate', { licenseKey, machineId });
    await post('deactivate', { licenseKey, machineId });
    await requests.flushRequests(app.ctx);
    const page = { page: 1, limit: 50 };
    const all = await requests.list(app.ctx, { ...page, licenseId: id });
    expect(all.items.map(({ code }) => code)).toEqual(['DEACTIVATION_FAILED', 'NOT_ACTIVATED']);
    expect(all.pagination).toEqual({ page: 1, limit: 50, total: 2, totalPages: 1 });
    expect(Object.keys(all.items[0] ?? {})).not.toContain('facts');
    const codesOf = async (filter: requests.RequestFilter) =>
      (await requests.list(app.ctx, { ...page, licenseId: id, ...filter })).items.map(({ code }) => code);
    expect(await codesOf({ status: 200 })).toEqual(['NOT_ACTIVATED']);
    expect(await codesOf({ code: 'DEACTIVATION_FAILED' })).toEqual(['DEACTIVATION_FAILED']);
    expect(await codesOf({ ip: '127.0.0.1', apiKeyId: key.id, from: app.ctx.now() })).toHaveLength(2);
    expect(await codesOf({ ip: '10.0.0.1' })).toEqual([]);
    app.clock.advance(1);
    expect(await codesOf({ from: app.ctx.now() })).toEqual([]);
    const other = await app.otherTenant();
    expect((await requests.list(other, page)).items).toEqual([]);
    expect(await codeOf(requests.list(app.ctx, { page: 0, limit: 50 }))).toBe('VALIDATION_ERROR');
  });
});
