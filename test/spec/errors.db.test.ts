// Every row of the specification's tables of errors and scopes, provoked over HTTP.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import * as apiKeys from '#platform/api-keys/index.ts';
import type { HttpReply } from '../support/http-client.ts';
import { row } from './rows.ts';
import { MACHINE, OTHER_MACHINE, openWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const DAY = 86_400;
const UNKNOWN = 'APP-0000-0000-0000-0000';

function expectError(reply: HttpReply, status: number, code: string): void {
  expect([reply.status, reply.body]).toMatchObject([
    status,
    {
      success: false,
      error: { code, message: expect.any(String) },
      requestId: reply.headers['x-request-id'],
    },
  ]);
}
const validateWith = (key?: string) =>
  world.post('/api/v1/license/validate', { licenseKey: UNKNOWN, machineId: MACHINE }, key);
const inStatus = async (status: 'EXPIRED' | 'SUSPENDED' | 'REVOKED', make = () => world.license()) => {
  const license = await make();
  if (status === 'SUSPENDED') await licenses.suspend(world.ctx, license.id, { reason: 'ADMIN', note: null });
  if (status === 'REVOKED') await licenses.revoke(world.ctx, { licenseId: license.id }, null);
  return license;
};
const expired = () =>
  world.license({
    type: 'SUBSCRIPTION',
    validUntil: new Date(world.clock.epochMs() - DAY * 1000).toISOString(),
  });

describe('API keys', () => {
  it(row('error', 'API_KEY_REQUIRED'), async () =>
    expectError(await validateWith(), 401, 'API_KEY_REQUIRED'),
  );

  it(row('error', 'INVALID_API_KEY'), async () => {
    expectError(await validateWith('alk_wrong'), 401, 'INVALID_API_KEY');
  });

  it(row('error', 'API_KEY_REVOKED'), async () => {
    const { id, secret } = await world.apiKey('FULL_ADMIN');
    await apiKeys.revoke(world.ctx, 'license', id);
    expectError(await validateWith(secret), 401, 'API_KEY_REVOKED');
  });

  it(row('error', 'API_KEY_EXPIRED'), async () => {
    const expiresAt = new Date(world.clock.epochMs() + 60_000).toISOString();
    const { secret } = await world.apiKey('FULL_ADMIN', { expiresAt });
    expect((await validateWith(secret)).status).toBe(200);
    world.clock.advance(60);
    expectError(await validateWith(secret), 401, 'API_KEY_EXPIRED');
  });

  it(row('error', 'IP_NOT_ALLOWED'), async () => {
    const { secret } = await world.apiKey('FULL_ADMIN', { ipAllowlist: ['203.0.113.0/24'] });
    expectError(await validateWith(secret), 403, 'IP_NOT_ALLOWED');
  });

  it(row('error', 'INSUFFICIENT_SCOPE'), async () => {
    const { secret } = await world.apiKey('VALIDATE_ONLY');
    expectError(await world.call('create', {}, secret), 403, 'INSUFFICIENT_SCOPE');
  });
});

it(row('error', 'VALIDATION_ERROR'), async () => {
  for (const body of [{}, { licenseKey: 5, machineId: MACHINE }, { licenseKey: UNKNOWN }, []]) {
    expectError(await world.call('activate', body), 400, 'VALIDATION_ERROR');
  }
});

it(row('error', 'ACTIVATION_FAILED'), async () => {
  const full = await world.license({ maxActivations: 1 });
  await world.call('activate', { licenseKey: full.key, machineId: MACHINE });
  const exhausted = await world.call('activate', { licenseKey: full.key, machineId: OTHER_MACHINE });
  expectError(exhausted, 400, 'ACTIVATION_FAILED');
  expect(String((exhausted.body.error as unknown as Error).message)).toContain('Maximum activations reached');
  for (const { key } of [await expired(), await inStatus('SUSPENDED'), await inStatus('REVOKED')]) {
    const reply = await world.call('activate', { licenseKey: key, machineId: MACHINE });
    expectError(reply, 400, 'ACTIVATION_FAILED');
  }
});

it(row('error', 'DEACTIVATION_FAILED'), async () => {
  const { key } = await world.license();
  expectError(
    await world.call('deactivate', { licenseKey: key, machineId: MACHINE }),
    400,
    'DEACTIVATION_FAILED',
  );
});

it(row('error', 'LICENSE_EXPIRED'), async () => {
  const { key } = await expired();
  expectError(await world.call('record-usage', { key, feature: 'f' }), 400, 'LICENSE_EXPIRED');
});

it(row('error', 'LICENSE_SUSPENDED'), async () => {
  const { key } = await inStatus('SUSPENDED', () => world.floating());
  expectError(await world.call('record-usage', { key, feature: 'f' }), 400, 'LICENSE_SUSPENDED');
  expectError(await world.call('checkout', { key, machineId: MACHINE }), 400, 'LICENSE_SUSPENDED');
});

it(row('error', 'LICENSE_REVOKED'), async () => {
  const { key } = await inStatus('REVOKED', () => world.floating());
  expectError(await world.call('record-usage', { key, feature: 'f' }), 400, 'LICENSE_REVOKED');
  expectError(
    await world.call('renew', { licenseKey: key, validUntil: '2030-01-01T00:00:00Z' }),
    400,
    'LICENSE_REVOKED',
  );
});

it(row('error', 'INVALID_KEY'), async () => {
  const bodies: [name: string, body: object][] = [
    ['activate', { machineId: MACHINE }],
    ['deactivate', { machineId: MACHINE }],
    ['heartbeat', { machineId: MACHINE }],
    ['checkout', { machineId: MACHINE }],
    ['checkin', { machineId: MACHINE }],
    ['record-usage', { feature: 'f' }],
    ['validate-entitlement', { entitlement: 'e' }],
    ['renew', { validUntil: '2030-01-01T00:00:00Z' }],
    ['revoke', {}],
  ];
  for (const [name, body] of bodies) {
    expectError(await world.call(name, { licenseKey: 'APP_0000_0000', ...body }), 400, 'INVALID_KEY');
  }
});

it(row('error', 'NOT_FOUND'), async () => {
  expectError(await world.call('activate', { licenseKey: UNKNOWN, machineId: MACHINE }), 404, 'NOT_FOUND');
  expectError(await world.get(`/api/v1/license/check/${UNKNOWN}`, world.key), 404, 'NOT_FOUND');
  expectError(await world.get('/api/v1/nothing', world.key), 404, 'NOT_FOUND');
});

it(row('error', 'NOT_FLOATING'), async () => {
  const { key } = await world.license();
  expectError(await world.call('checkout', { key, machineId: MACHINE }), 400, 'NOT_FLOATING');
  expectError(await world.call('checkin', { key, machineId: MACHINE }), 400, 'NOT_FLOATING');
});

it(row('error', 'NOT_CHECKED_OUT'), async () => {
  const { key } = await world.floating();
  expectError(await world.call('checkin', { key, machineId: MACHINE }), 400, 'NOT_CHECKED_OUT');
});

it(row('error', 'SEAT_LIMIT_REACHED'), async () => {
  const { key } = await world.floating(1);
  await world.call('checkout', { key, machineId: MACHINE });
  const reply = await world.call('checkout', { key, machineId: OTHER_MACHINE });
  expectError(reply, 400, 'SEAT_LIMIT_REACHED');
  expect(reply.body.seatsTotal).toBe(1);
});

it(row('error', 'USAGE_LIMIT_EXCEEDED'), async () => {
  const { key } = await world.license({ maxUses: 2 });
  const reply = await world.call('record-usage', { key, feature: 'f', quantity: 3 });
  expectError(reply, 400, 'USAGE_LIMIT_EXCEEDED');
  expect(reply.body.usage).toEqual({ current: 0, max: 2 });
});

it(row('error', 'NOT_ACTIVATED'), async () => {
  const { key } = await world.license();
  expectError(await world.call('heartbeat', { key, machineId: MACHINE }), 400, 'NOT_ACTIVATED');
});

it(row('error', 'LICENSE_INACTIVE'), async () => {
  for (const { key } of [await expired(), await inStatus('SUSPENDED'), await inStatus('REVOKED')]) {
    expectError(await world.call('heartbeat', { key, machineId: MACHINE }), 400, 'LICENSE_INACTIVE');
  }
});

it(row('error', 'RATE_LIMITED'), async () => {
  const limited = await openWorld({ limits: 'on' });
  try {
    const { secret } = await limited.apiKey('FULL_ADMIN', {
      limits: { write: { max: 1, windowSeconds: 900 } },
    });
    const ask = () => limited.call('record-usage', { key: UNKNOWN, feature: 'f' }, secret);
    expect((await ask()).status).toBe(404);
    const reply = await ask();
    expectError(reply, 429, 'RATE_LIMITED');
    const { 'ratelimit-limit': limit, 'ratelimit-remaining': remaining } = reply.headers;
    expect([limit, remaining]).toEqual(['1', '0']);
    expect(Number(reply.headers['ratelimit-reset'])).toBeGreaterThan(0);
  } finally {
    await limited.close();
  }
});

it(row('error', 'SERVER_ERROR'), async () => {
  const broken = await openWorld();
  try {
    const { database } = broken.instance;
    await database.transaction(({ knex }) => knex.schema.renameTable('license_keys', 'license_keys_away'));
    const reply = await broken.call('activate', { licenseKey: UNKNOWN, machineId: MACHINE });
    expectError(reply, 500, 'SERVER_ERROR');
    expect(JSON.stringify(reply.body)).not.toContain('license_keys');
  } finally {
    await broken.close();
  }
});

describe('scopes', () => {
  const reading = ['validate', 'validate-entitlement'];
  const using = ['activate', 'deactivate', 'heartbeat', 'checkout', 'checkin', 'record-usage', ...reading];
  const managing = ['create', 'create-bulk', 'revoke', 'renew'];
  const allowed: Record<string, { posts: string[]; check: boolean; byOrder: boolean; products: boolean }> = {
    VALIDATE_ONLY: { posts: using, check: true, byOrder: false, products: false },
    CREATE_LICENSE: { posts: [...using, ...managing], check: true, byOrder: true, products: true },
    READ_ONLY: { posts: [], check: true, byOrder: false, products: true },
    FULL_ADMIN: { posts: [...using, ...managing], check: true, byOrder: true, products: true },
  };

  it.each(Object.keys(allowed).map((scope) => [row('scope', scope), scope] as const))(
    '%s',
    async (_row, scope) => {
      const { secret } = await world.apiKey(scope);
      const mine = allowed[scope] as (typeof allowed)[string];
      const isOpen = async (sent: Promise<HttpReply>) => (await sent).status !== 403;
      for (const name of [...using, ...managing]) {
        expect([name, await isOpen(world.call(name, {}, secret))]).toEqual([name, mine.posts.includes(name)]);
      }
      expect(await isOpen(world.get(`/api/v1/license/check/${UNKNOWN}`, secret))).toBe(mine.check);
      expect(await isOpen(world.get('/api/v1/license/by-order/none', secret))).toBe(mine.byOrder);
      expect(await isOpen(world.get('/api/v1/products', secret))).toBe(mine.products);
    },
  );
});
