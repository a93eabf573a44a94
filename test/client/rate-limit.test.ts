// 429: a code of its own with the time to wait, and never the end of an access that was there before.
import { describe, expect, test } from 'vitest';
import { offline, refuse, scripted, valid } from './scripted.ts';

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
