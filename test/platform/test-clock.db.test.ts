// The test clock of a server in development: licenses and jobs follow it, and a production server has none (licensing
// 4.2, Clock; reliability A089).

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clockShift } from '#kernel/clock-shift.ts';
import { licenses as licensesCapability } from '#licensing/licenses/licenses/capability.ts';
import { type MadeKey, startApp, type TestApp } from '../support/app.ts';

const DAY = 86_400;
let app: TestApp;
let owner: MadeKey;
beforeAll(async () => {
  app = await startApp({ productionMode: false });
  owner = await app.adminToken('owner', { isInstanceWide: true });
});
afterAll(() => app.close());

const move = (body: object, token: MadeKey | null = owner) => app.admin('/dev/clock', token, { body });
const inDays = (days: number) => new Date(app.clock.epochMs() + days * DAY * 1000).toISOString();

it('moves forward, to a time and back, and tells what the time is', async () => {
  expect((await move({ advanceSeconds: 60 })).body).toEqual({
    success: true,
    now: new Date(app.clock.epochMs() + 60_000).toISOString(),
    shiftSeconds: 60,
  });
  expect((await move({ advanceSeconds: 30 })).body.shiftSeconds).toBe(90);
  expect((await move({ advanceSeconds: 0 })).body.shiftSeconds).toBe(90);
  expect((await move({ now: inDays(400) })).body).toMatchObject({
    now: inDays(400),
    shiftSeconds: 400 * DAY,
  });
  expect((await move({ now: '2020-01-01T00:00:00+01:00' })).body.now).toBe('2019-12-31T23:00:00.000Z');
  expect((await move({ reset: true })).body).toEqual({
    success: true,
    now: new Date(app.clock.epochMs()).toISOString(),
    shiftSeconds: 0,
  });
});

it('expiry follows it: the answer at once, the event with the job', async () => {
  const { secret } = await app.apiKey('VALIDATE_ONLY');
  const { id, key: licenseKey } = await app.license({ validUntil: inDays(30) });
  const body = { licenseKey, machineId: 'machine-a' };
  await app.post('/api/v1/license/activate', body, secret);
  const codeNow = async () => (await app.post('/api/v1/license/validate', body, secret)).body.code;
  expect(await codeNow()).toBe('VALID');
  await move({ advanceSeconds: 30 * DAY });
  expect(await codeNow()).toBe('EXPIRED');
  await licensesCapability.jobs?.find(({ name }) => name === 'license-expiry')?.run(app.ctx);
  const told = (await app.eventsOf(id)).filter(({ type }) => type === 'LICENSE_EXPIRED');
  expect(told).toHaveLength(1);
  await move({ reset: true });
});

it.each([
  [{}],
  [{ now: inFuture(), reset: true }],
  [{ now: 'tomorrow' }],
  [{ advanceSeconds: -1 }],
  [{ advanceSeconds: 0.5 }],
  [{ reset: false }],
  [{ advance: 5 }],
])('%j is refused and moves nothing', async (body) => {
  const refused = await move(body);
  expect([refused.status, refused.body.error?.code]).toEqual([400, 'VALIDATION_ERROR']);
  expect((await move({ advanceSeconds: 0 })).body.shiftSeconds).toBe(0);
});

function inFuture(): string {
  return '2099-01-01T00:00:00Z';
}

it('asks for the permission of what is dangerous', async () => {
  expect((await move({ reset: true }, null)).status).toBe(401);
  for (const role of ['viewer', 'support', 'licensing', 'manager'])
    expect((await move({ reset: true }, await app.adminToken(role))).status).toBe(403);
});

it('asks for a token of the whole installation: the clock is that of all tenants', async () => {
  for (const ctx of [app.ctx, await app.otherTenant()]) {
    const token = await app.adminToken('owner', {}, ctx);
    for (const body of [{ advanceSeconds: 60 }, { advanceSeconds: 0 }]) {
      const refused = await move(body, token);
      expect([refused.status, refused.body.error?.code]).toEqual([403, 'INSUFFICIENT_SCOPE']);
    }
  }
  expect((await move({ advanceSeconds: 0 })).body.shiftSeconds).toBe(0);
});

describe('in production', () => {
  let production: TestApp;
  beforeAll(async () => {
    production = await startApp();
  });
  afterAll(() => production.close());

  it('there is no such endpoint, whoever asks, and the clock stays', async () => {
    const token = await production.adminToken('owner');
    for (const one of [token, null]) {
      const reply = await production.admin('/dev/clock', one, { body: { advanceSeconds: 60 } });
      expect([reply.status, reply.body.error?.code]).toEqual([404, 'NOT_FOUND']);
    }
    expect(production.ctx.now()).toBe(new Date(production.clock.epochMs()).toISOString());
  });

  it('a shift in its memory would not be read', () => {
    production.ctx.memory.of(clockShift).ms = 60_000;
    expect(production.ctx.now()).toBe(new Date(production.clock.epochMs()).toISOString());
  });
});
