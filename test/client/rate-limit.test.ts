// 429: a code of its own with the time to wait, and never the end of an access that was there before.
import { afterEach, describe, expect, test, vi } from 'vitest';
import { offline, ok, refuse, scripted, settle, stopTimers, until, valid } from './scripted.ts';
import { startSeconds } from './signer.ts';

const limited = () => refuse(429, 'RATE_LIMITED', {}, { 'Retry-After': '600' });
const DAY = 86_400;

describe('access()', () => {
  test('says how long to wait when nothing is known', async () => {
    const { client, of } = scripted(limited);
    expect(await client.access()).toMatchObject({
      allowed: false,
      code: 'RATE_LIMITED',
      source: 'none',
      retryAfterSeconds: 600,
      retryAt: '2026-03-01T12:10:00.000Z',
    });
    expect(of('background-error')).toMatchObject([{ code: 'RATE_LIMITED' }]);
  });

  test('does not lock out who had access, for a day and over restarts', async () => {
    const before = scripted(() => valid());
    await before.client.access();
    const { client, advance } = scripted(limited, { stored: before.stored });
    const kept = {
      allowed: true,
      code: 'VALID',
      source: 'cache',
      offlineUntil: null,
      retryAfterSeconds: 600,
    };
    expect(await client.access()).toMatchObject(kept);
    advance(DAY);
    expect(await client.access()).toMatchObject(kept);
    advance(1);
    expect(await client.access({ force: true })).toMatchObject({ allowed: false, code: 'RATE_LIMITED' });
  });

  test('an outage is none of it: without outageGraceSeconds the last answer does not count', async () => {
    const { client, serve, advance } = scripted(() => valid(), { retry: { attempts: 1 } });
    await client.access();
    advance(60);
    serve(limited);
    expect(await client.access()).toMatchObject({ allowed: true, source: 'cache' });
    serve(offline);
    expect(await client.access({ force: true })).toMatchObject({ allowed: false, code: 'UNREACHABLE' });
  });

  test('a refusal before it stays one', async () => {
    const { client, serve } = scripted(() => valid({ valid: false, status: 'REVOKED', code: 'REVOKED' }));
    expect(await client.access()).toMatchObject({ code: 'REVOKED' });
    serve(limited);
    expect(await client.access({ force: true })).toMatchObject({ allowed: false, code: 'RATE_LIMITED' });
  });

  test('nobody is asked before the time, unless force is set, and then again', async () => {
    const { client, operations, serve, advance } = scripted(limited);
    await client.access();
    serve(() => valid());
    advance(599);
    expect(await client.access()).toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 1 });
    expect(operations()).toHaveLength(1);
    expect(await client.access({ force: true })).toMatchObject({ code: 'VALID', retryAfterSeconds: null });
    advance(60);
    expect(await client.access()).toMatchObject({ code: 'VALID' });
    expect(operations()).toHaveLength(3);
  });

  test('a wait of years, which a proxy may make up, is one hour', async () => {
    const { client, serve, advance } = scripted(() =>
      refuse(429, 'RATE_LIMITED', {}, { 'Retry-After': '99999999' }),
    );
    await client.access();
    serve(() => valid());
    advance(3_599);
    expect(await client.access()).toMatchObject({ code: 'RATE_LIMITED' });
    advance(1);
    expect(await client.access()).toMatchObject({ code: 'VALID' });
  });

  test('a clock that is set back does not make it wait longer', async () => {
    const { client, serve, advance } = scripted(limited);
    await client.access();
    serve(() => valid());
    advance(-60);
    expect(await client.access()).toMatchObject({ code: 'VALID' });
  });
});

test('a proxy that counts requests and knows no codes is understood too', async () => {
  const proxy = () => ({ status: 429, body: '<html>slow down</html>', headers: { 'Retry-After': '60' } });
  const { client } = scripted(proxy);
  expect(await client.activate()).toMatchObject({
    activated: false,
    code: 'RATE_LIMITED',
    retryAfterSeconds: 60,
    reason: null,
    requestId: null,
  });
  expect(await client.access()).toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 60 });
});

describe('an application that starts while the server is busy', () => {
  const short = () => refuse(429, 'RATE_LIMITED', {}, { 'Retry-After': '20' });
  const kept = { allowed: true, source: 'cache', retryAfterSeconds: 20 };
  afterEach(() => void vi.useRealTimers());

  test.each([{}, { force: true }])('does not wait when there is a good answer: %j', async (options) => {
    const before = scripted(() => valid());
    await before.client.access();
    const { client, operations } = scripted(short, { stored: before.stored });
    expect(await client.access(options)).toMatchObject(kept);
    expect(operations()).toHaveLength(1);
  });

  test.each([
    ['nothing', 0, new Map<string, string>()],
    ['one that is too old', DAY + 1, null],
    ['one that a clock which was set back makes useless', -301, null],
  ])('waits when it has %s', async (_what, later, stored) => {
    const before = scripted(() => valid());
    await before.client.access();
    stopTimers();
    const one = scripted(short, { stored: stored ?? before.stored });
    one.advance(later);
    const done = one.client.access();
    await until(() => one.of('retry').length === 1);
    one.serve(() => valid());
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await done).toMatchObject({ allowed: true, source: 'server' });
  });

  test('what is asked for by validate() is waited for', async () => {
    const one = scripted(() => valid());
    await one.client.access();
    stopTimers();
    one.serve(short);
    const done = one.client.validate();
    await until(() => one.of('retry').length === 1);
    one.serve(() => valid());
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await done).toMatchObject({ source: 'server' });
  });
});

describe('a wait of years stops no work in the background for longer than an hour', () => {
  afterEach(() => void vi.useRealTimers());
  const years = { 'Retry-After': '999999999' };

  test('heartbeats', async () => {
    stopTimers();
    const one = scripted(() => refuse(429, 'RATE_LIMITED', {}, years));
    one.client.startHeartbeat();
    await until(() => one.of('retry').length === 1);
    expect(one.of('retry')).toMatchObject([{ operation: 'heartbeat', delayMs: 3_600_000 }]);
    one.serve(() => ok());
    await vi.advanceTimersByTimeAsync(3_600_000);
    await until(() => one.operations().length === 2);
    await one.client.close();
  });

  test('the refresh of the offline token', async () => {
    stopTimers();
    const one = scripted(
      ({ operation }) => (operation === 'validate' ? valid() : refuse(429, 'RATE_LIMITED', {}, years)),
      { offline: { enabled: true } },
    );
    // The first one has one attempt: the answer is not kept waiting. The next one is asked for in the background.
    await one.client.access();
    one.advance(3_600);
    await one.client.access();
    await until(() => one.of('retry').length === 1);
    expect(one.of('retry')).toMatchObject([{ operation: 'offline-token', delayMs: 3_600_000 }]);
    const before = one.operations().length;
    await vi.advanceTimersByTimeAsync(3_600_000);
    await settle();
    expect(one.operations().slice(before)).toEqual(['offline-token']);
    await one.client.close();
  });

  test('the time to ask again is one that dates can hold', async () => {
    const later = new Date((startSeconds + 999_999_999) * 1000).toISOString();
    const { client } = scripted(() => refuse(429, 'RATE_LIMITED', {}, years));
    expect(await client.access()).toMatchObject({ retryAfterSeconds: 999_999_999, retryAt: later });
  });
});
