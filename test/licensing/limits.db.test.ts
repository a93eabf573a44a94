// The documented rate limits: how many each bucket admits, what its answers carry, who is counted (D14 to D16; A071).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as apiKeys from '#platform/api-keys/index.ts';
import * as settings from '#platform/settings/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { nothing } from '../support/database-changes.ts';
import type { HttpReply } from '../support/http-client.ts';

const machineId = 'machine-0001';
const license = '/api/v1/license';

let app: TestApp;
let licenseKey: string;
let productId: string;
beforeAll(async () => {
  app = await startApp({ limits: 'on', proxyTrust: '127.0.0.1' });
  productId = (await app.product()).id;
  licenseKey = (await app.license({ productId, maxActivations: 1000 })).key;
});
afterAll(() => app.close());

let addresses = 0;
/** An address that no test has used. */
const freshAddress = () => {
  addresses += 1;
  return `198.51.100.${addresses}`;
};
const from = (address: string) => ({ 'X-Forwarded-For': address });
const newKey = async (scope = 'FULL_ADMIN', limits: apiKeys.ApiKeyInput['limits'] = null) =>
  (await app.apiKey(scope, { limits })).secret;

const validate = (key: string | undefined, address: string) =>
  app.post(`${license}/validate`, { licenseKey, machineId }, key, from(address));
const check = (key: string | undefined, address: string) =>
  app.get(`${license}/check/${licenseKey}`, key, from(address));
const listProducts = (key: string | undefined, address: string) =>
  app.get('/api/v1/products', key, from(address));
const entitlement = (key: string, address: string) =>
  app.post(`${license}/validate-entitlement`, { key: licenseKey, entitlement: 'sso' }, key, from(address));
const activate = (key: string, address: string, body: object = { licenseKey, machineId }) =>
  app.post(`${license}/activate`, body, key, from(address));

/** What a reply says of its bucket: status, Limit, Remaining. */
const standing = ({ status, headers }: HttpReply) => [
  status,
  headers['ratelimit-limit'],
  headers['ratelimit-remaining'],
];

/** Sends `most` requests that are admitted, then one that is not. */
async function drain(most: number, send: (index: number) => Promise<HttpReply>): Promise<HttpReply> {
  for (let index = 0; index < most; index++) {
    const [status, limit, remaining] = standing(await send(index));
    expect(status).not.toBe(429);
    expect([limit, remaining]).toEqual([String(most), String(most - index - 1)]);
  }
  return send(most);
}

function expectRefusal(reply: HttpReply, bucket: string, limit: number): void {
  const reset = Number(reply.headers['ratelimit-reset']);
  expect(standing(reply)).toEqual([429, String(limit), '0']);
  expect(reset).toBeGreaterThan(0);
  expect(reset).toBeLessThanOrEqual(900);
  expect(reply.headers['retry-after']).toBe(reply.headers['ratelimit-reset']);
  expect(reply.body).toMatchObject({
    success: false,
    error: { code: 'RATE_LIMITED', details: { bucket, limit, resetSeconds: reset } },
    requestId: reply.headers['x-request-id'],
  });
}

describe('each bucket admits exactly its number', () => {
  it('read: 60 by address, shared by validate and check, whichever key asks', async () => {
    const address = freshAddress();
    const keys = [await newKey(), await newKey('VALIDATE_ONLY')];
    const spelled = [address, `::ffff:${address}`];
    const send = (index: number) =>
      (index % 3 === 0 ? validate : check)(keys[index % 2], spelled[index % 2] as string);
    expectRefusal(await drain(60, send), 'read', 60);
    // Another address has its own.
    expect(standing(await validate(keys[0], freshAddress()))).toEqual([200, '60', '59']);
  });

  it('read_extra and public_key: none, unless a setting gives them one by address', async () => {
    const address = freshAddress();
    const key = await newKey();
    const sends = [
      () => listProducts(key, address),
      () => entitlement(key, address),
      () => app.get(`${license}/by-order/nobody`, key, from(address)),
      () => app.get('/api/v1/updates/public-key?product=nobody', undefined, from(address)),
    ];
    for (let index = 0; index < 130; index++) {
      const reply = await (sends[index % sends.length] as (typeof sends)[0])();
      expect(standing(reply)).toEqual([[200, 200, 200, 404][index % 4], undefined, undefined]);
    }
    await settings.set(app.ctx, { key: 'licensing.limits.read_extra.max', value: 4 });
    const send = (index: number) =>
      index % 2 === 0 ? listProducts(key, address) : entitlement(key, address);
    expectRefusal(await drain(4, send), 'read_extra', 4);
    await settings.unset(app.ctx, 'licensing.limits.read_extra.max');
    expect(standing(await listProducts(key, address))).toEqual([200, undefined, undefined]);
    expect(standing(await validate(key, address))).toEqual([200, '60', '59']);
  });

  it('offline_token: 120 a minute by key', async () => {
    const key = await newKey();
    const send = () => app.post(`${license}/offline-token`, {}, key, from(freshAddress()));
    const refused = await drain(120, send);
    expectRefusal(refused, 'offline_token', 120);
    expect(Number(refused.headers['ratelimit-reset'])).toBeLessThanOrEqual(60);
  });

  it('0 lifts any of them, and no answer speaks of it then', async () => {
    const key = await newKey();
    await settings.set(app.ctx, { key: 'licensing.limits.write.max', value: 0 });
    for (let index = 0; index < 20; index++) {
      expect(standing(await activate(key, freshAddress()))).toEqual([200, undefined, undefined]);
    }
    await settings.unset(app.ctx, 'licensing.limits.write.max');
    expect(standing(await activate(key, freshAddress()))).toEqual([200, '15', '14']);
  });

  it('write: 15 by key, shared by its operations, from whatever address; a refused request writes nothing', async () => {
    const key = await newKey();
    const sends = [
      (address: string) => activate(key, address),
      (address: string) => app.post(`${license}/deactivate`, { licenseKey, machineId }, key, from(address)),
      (address: string) =>
        app.post(`${license}/create`, { productId, customerEmail: 'a@x.test' }, key, from(address)),
      // One request costs one point, however many licenses it makes.
      (address: string) => app.post(`${license}/create-bulk`, { licenses: [{}, {}, {}] }, key, from(address)),
      (address: string) =>
        app.post(`${license}/record-usage`, { key: licenseKey, feature: 'export' }, key, from(address)),
    ];
    const send = (index: number) => (sends[index % sends.length] as (typeof sends)[0])(freshAddress());
    expectRefusal(await drain(15, send), 'write', 15);
    const { changes } = await app.changesBy(() => activate(key, freshAddress()));
    expect(changes).toEqual(nothing);
    expect(standing(await activate(await newKey(), freshAddress()))).toEqual([200, '15', '14']);
  });

  it('requests that come together are counted one by one', async () => {
    const address = freshAddress();
    const key = await newKey();
    const replies = await Promise.all(Array.from({ length: 80 }, () => check(key, address)));
    expect(replies.filter(({ status }) => status === 200).length).toBe(60);
    const left = replies.map(({ headers }) => Number(headers['ratelimit-remaining'])).sort((a, b) => a - b);
    expect(left).toEqual([
      ...Array.from({ length: 20 }, () => 0),
      ...Array.from({ length: 60 }, (_, i) => i),
    ]);
  });
});

describe('what is counted', () => {
  it('every request, refused ones too, on every answer of a limited route', async () => {
    const address = freshAddress();
    const key = await newKey();
    const readOnly = await newKey('READ_ONLY');
    expect(standing(await validate(undefined, address))).toEqual([401, '60', '59']);
    expect(standing(await validate('alk_wrong', address))).toEqual([401, '60', '58']);
    expect(standing(await validate(readOnly, address))).toEqual([403, '60', '57']);
    const broken = await app.post(`${license}/validate`, '{', key, from(address));
    expect(standing(broken)).toEqual([400, '60', '56']);
    expect(standing(await app.get(`${license}/check/nobody`, key, from(address)))).toEqual([404, '60', '55']);
  });

  it('a bucket by key is not consulted before the key is known, and takes nothing for a key that is not (D3)', async () => {
    const address = freshAddress();
    const key = await newKey('CREATE_LICENSE');
    const readOnly = await newKey('READ_ONLY');
    for (const wrong of ['', 'alk_wrong', readOnly]) {
      const reply = await activate(wrong, address);
      expect(reply.headers['ratelimit-limit']).toBeUndefined();
    }
    expect(standing(await activate(key, address, {}))).toEqual([400, '15', '14']);
    expect(standing(await activate(key, address, { licenseKey: 'APP-0000-0000-0000', machineId }))).toEqual([
      404,
      '15',
      '13',
    ]);
  });

  it('a full bucket by address answers before the key is looked at, one by key before the body', async () => {
    const address = freshAddress();
    const key = await newKey();
    await drain(60, () => check(key, address));
    expect((await check(undefined, address)).status).toBe(429);
    expect((await check('alk_wrong', address)).status).toBe(429);
    const other = await newKey();
    await drain(15, () => activate(other, freshAddress()));
    expect((await app.post(`${license}/activate`, '{', other)).status).toBe(429);
    // Key faults still come first: a revoked or foreign key never learns of a bucket.
    expect((await activate('alk_wrong', freshAddress())).status).toBe(401);
  });

  it('unknown routes and health are not limited', async () => {
    const address = freshAddress();
    for (const path of ['/api/v1/nothing', '/api/health']) {
      const { headers } = await app.get(path, undefined, from(address));
      expect(headers['ratelimit-limit']).toBeUndefined();
    }
  });

  it('IPv6 by its /64, and only that (D16)', async () => {
    const key = await newKey();
    const remaining = async (address: string) => (await check(key, address)).headers['ratelimit-remaining'];
    expect(await remaining('2001:db8:0:1::1')).toBe('59');
    expect(await remaining('2001:db8:0:1:ffff:ffff:ffff:ffff')).toBe('58');
    expect(await remaining('2001:0DB8::1:0:0:0:2')).toBe('57');
    expect(await remaining('2001:db8:0:2::1')).toBe('59');
  });
});

describe('other numbers', () => {
  it('a key’s own limit for a bucket by key; the next request knows a changed one', async () => {
    const few = await newKey('FULL_ADMIN', { write: { max: 2, windowSeconds: 900 } });
    expectRefusal(await drain(2, () => activate(few, freshAddress())), 'write', 2);
    const { id, secret } = await app.apiKey('FULL_ADMIN', {
      limits: { write: { max: 40, windowSeconds: 60 } },
    });
    const refused = await drain(40, () => activate(secret, freshAddress()));
    expectRefusal(refused, 'write', 40);
    expect(Number(refused.headers['ratelimit-reset'])).toBeLessThanOrEqual(60);
    await apiKeys.update(app.ctx, 'license', id, { limits: { write: { max: 0, windowSeconds: 60 } } });
    expect(standing(await activate(secret, freshAddress()))).toEqual([200, undefined, undefined]);
    const { limits } = await apiKeys.update(app.ctx, 'license', id, {
      limits: { write: null, heartbeat: { max: 7, windowSeconds: 60 } },
    });
    expect(limits).toEqual({ heartbeat: { max: 7, windowSeconds: 60 } });
    expect(standing(await activate(secret, freshAddress()))).toEqual([200, '15', '14']);
    const beat = await app.post(`${license}/heartbeat`, { licenseKey, machineId }, secret);
    expect(standing(beat)).toEqual([200, '7', '6']);
  });

  it.each([
    [{ max: -1, windowSeconds: 60 }],
    [{ max: 1.5, windowSeconds: 60 }],
    [{ max: 1_000_000_001, windowSeconds: 60 }],
    [{ max: 1, windowSeconds: 0 }],
    [{ max: 1, windowSeconds: 86_401 }],
  ])('a limit of %j is refused', async (write) => {
    await expect(app.apiKey('FULL_ADMIN', { limits: { write } })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
  });

  it('the settings of a bucket; a changed one begins with empty windows (D14, D15)', async () => {
    const key = await newKey();
    const address = freshAddress();
    await drain(60, () => check(key, address));
    await settings.set(app.ctx, { key: 'licensing.limits.read.max', value: 3 });
    expectRefusal(await drain(3, () => check(key, address)), 'read', 3);
    // A key's own maximum goes before the setting, and the other bucket is as it was.
    expect(standing(await activate(key, address))).toEqual([200, '15', '14']);
    await settings.unset(app.ctx, 'licensing.limits.read.max');
    expect((await check(key, address)).status).toBe(429);
  });

  it('a window is fixed: it ends though requests go on, and the next one is whole (D14)', async () => {
    const key = await newKey();
    const address = freshAddress();
    await settings.set(app.ctx, { key: 'licensing.limits.read.windowSeconds', value: 1 });
    await settings.set(app.ctx, { key: 'licensing.limits.read.max', value: 2 });
    expect(standing(await check(key, address))).toEqual([200, '2', '1']);
    let reply = await check(key, address);
    while (reply.status === 429 || reply.headers['ratelimit-remaining'] !== '1') {
      expect(Number(reply.headers['ratelimit-reset'])).toBeLessThanOrEqual(1);
      reply = await check(key, address);
    }
    expect(standing(reply)).toEqual([200, '2', '1']);
    await settings.unset(app.ctx, 'licensing.limits.read.windowSeconds');
    await settings.unset(app.ctx, 'licensing.limits.read.max');
  });

  it('the switch: off, nothing is limited and no answer speaks of limits', async () => {
    const key = await newKey('FULL_ADMIN', { write: { max: 1, windowSeconds: 900 } });
    await settings.set(app.ctx, { key: 'licensing.limits.enabled', value: false });
    for (const _ of [1, 2, 3]) {
      const reply = await activate(key, freshAddress());
      expect(standing(reply)).toEqual([200, undefined, undefined]);
    }
    await settings.unset(app.ctx, 'licensing.limits.enabled');
    expect(standing(await activate(key, freshAddress()))).toEqual([200, '1', '0']);
  });
});
