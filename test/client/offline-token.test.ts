// Fetching offline tokens, and the clock rule (licensing.md 7.3).
import { describe, expect, test } from 'vitest';
import {
  type Answer,
  activation,
  license,
  offline,
  ok,
  refuse,
  type Server,
  scripted,
  settle,
  signed,
  until,
  valid,
} from './scripted.ts';
import { newKey, startSeconds, token, tokenClaims } from './signer.ts';

const day = 86_400;
const iso = (seconds: number) => new Date((startSeconds + seconds) * 1000).toISOString();
const tokenFrom = (iat: number, more: object = {}): Answer => {
  const [from, until] = [startSeconds + iat, startSeconds + iat + 30 * day];
  const claims = tokenClaims({ iat: from, nbf: from - 300, exp: until, ...more });
  return ok({ token: token(claims), expiresAt: iso(iat + 30 * day) });
};
/** A server that answers validate and activate, and offline-token as told. */
const withTokens =
  (answer: () => Answer): Server =>
  ({ operation }) => {
    if (operation === 'offline-token') return answer();
    return operation === 'activate' ? ok({ license, activation }) : valid();
  };

describe('refreshOfflineToken', () => {
  test('asks for the given life, else for the one of the options, and keeps the token', async () => {
    const { client, asked, serve } = scripted(() => tokenFrom(0), {
      offline: { ttlSeconds: 7200 },
      appVersion: '2.1',
    });
    expect(await client.refreshOfflineToken(3600)).toEqual({ expiresAt: iso(30 * day) });
    await client.refreshOfflineToken();
    expect(asked.map(({ operation, body }) => [operation, body.ttlSeconds, body.appVersion])).toEqual([
      ['offline-token', 3600, '2.1'],
      ['offline-token', 7200, '2.1'],
    ]);
    serve(offline);
    expect(await client.access()).toMatchObject({ source: 'offline-token', allowed: true });
  });

  test.each<[string, Answer, string]>([
    [
      'of another key',
      ok({ token: token(tokenClaims(), { key: newKey() }), expiresAt: iso(9) }),
      'SIGNATURE_INVALID',
    ],
    ['for another machine', tokenFrom(0, { mid: 'x' }), 'SIGNATURE_INVALID'],
    ['that has ended', tokenFrom(-31 * day), 'BAD_RESPONSE'],
    ['that is none', ok({ token: 'abc', expiresAt: iso(9) }), 'BAD_RESPONSE'],
    ['from a time far ahead', tokenFrom(400), 'CLOCK_ROLLED_BACK'],
  ])('a token %s is refused and not kept', async (_what, answer, code) => {
    const { client, stored } = scripted(() => answer);
    await expect(client.refreshOfflineToken()).rejects.toMatchObject({ name: 'ClientError', code });
    expect(stored.has('appctl.editor.token')).toBe(false);
  });

  test('a token for a newer version is kept: it tells so offline', async () => {
    const { client, serve } = scripted(() => tokenFrom(0, { mxv: '1' }), { appVersion: '2.0' });
    await client.refreshOfflineToken();
    serve(offline);
    expect(await client.access()).toMatchObject({ code: 'VERSION_NOT_ALLOWED', allowed: false });
  });

  test('refusals of the server are the caller’s', async () => {
    const { client } = scripted(() => refuse(400, 'NOT_ACTIVATED'));
    await expect(client.refreshOfflineToken()).rejects.toMatchObject({ code: 'NOT_ACTIVATED' });
  });
});

describe('with offline.enabled', () => {
  const enabled = { offline: { enabled: true } };

  test('every activate brings a token', async () => {
    const { client, operations, serve } = scripted(
      withTokens(() => tokenFrom(0)),
      enabled,
    );
    await client.activate();
    await client.activate();
    expect(operations()).toEqual(['activate', 'offline-token', 'activate', 'offline-token']);
    serve(offline);
    expect(await client.access()).toMatchObject({ source: 'offline-token', allowed: true });
  });

  test('a token that cannot be had does not spoil the activation', async () => {
    const { client, of } = scripted(
      withTokens(() => refuse(404, 'NOT_FOUND')),
      enabled,
    );
    expect(await client.activate()).toMatchObject({ license, activation });
    expect(of('background-error')).toMatchObject([{ code: 'NOT_FOUND' }]);
  });

  test('access() fetches one when there is none, and a new one after half of its life', async () => {
    let iat = 0;
    const one = scripted(
      withTokens(() => tokenFrom(iat)),
      enabled,
    );
    const { client, operations, stored } = one;
    await client.access();
    await until(() => stored.has('appctl.editor.token'));
    expect(operations()).toEqual(['validate', 'offline-token']);
    one.advance(15 * day - 1);
    expect(await client.access()).toMatchObject({ offlineUntil: iso(30 * day) });
    await settle();
    expect(operations()).toHaveLength(3);
    one.advance(1);
    iat = 15 * day;
    await client.access({ force: true });
    await until(() => stored.get('appctl.editor.token')?.includes(String(startSeconds + 45 * day)) === true);
    expect(operations()).toHaveLength(5);
  });

  test('a refusal is told once and asked about again after an hour', async () => {
    const { client, operations, of, advance } = scripted(
      withTokens(() => refuse(404, 'NOT_FOUND')),
      enabled,
    );
    const asked = () => operations().filter((operation) => operation === 'offline-token').length;
    await client.access();
    await until(() => of('background-error').length === 1);
    advance(3599);
    await client.access();
    await settle();
    expect(asked()).toBe(1);
    advance(1);
    await client.access({ force: true });
    await until(() => of('background-error').length === 2);
    expect(asked()).toBe(2);
  });

  test('a refused license brings none', async () => {
    const { client, operations } = scripted(() => valid({ valid: false, code: 'EXPIRED' }), enabled);
    await client.access();
    await settle();
    expect(operations()).toEqual(['validate']);
  });
});

test('without offline.enabled neither activate nor access() asks for a token', async () => {
  const { client, operations } = scripted(withTokens(() => tokenFrom(0)));
  await client.activate();
  await client.access();
  await settle();
  expect(operations()).toEqual(['activate', 'validate']);
});

test('deactivate gives the token back: this machine has no license any more', async () => {
  const { client, serve, stored } = scripted(() => tokenFrom(0));
  await client.refreshOfflineToken();
  serve(() => ok());
  await client.deactivate();
  expect(stored.has('appctl.editor.token')).toBe(false);
  serve(offline);
  expect(await client.access()).toMatchObject({ code: 'UNREACHABLE' });
});

describe('the clock rule', () => {
  const lastSeen = (stored: Map<string, string>) =>
    JSON.parse(stored.get('appctl.editor.clock') ?? '{}').lastSeen;

  test.each<[string, Server]>([
    ['serverTime of validate', () => valid({ serverTime: iso(1000) })],
    ['X-Response-Date', (asked) => signed(asked, valid(), iso(1000))],
  ])('the highest time is persisted, taken from %s', async (_what, server) => {
    const { client, stored, of } = scripted(server);
    await client.access();
    expect(lastSeen(stored)).toBe((startSeconds + 1000) * 1000);
    expect(of('clock-suspect')).toEqual([{ now: iso(0), lastSeen: iso(1000) }]);
  });

  test('and from the own clock, and from a token', async () => {
    const { client, stored, advance } = scripted(offline, { retry: { attempts: 1 } });
    advance(50);
    await client.access();
    expect(lastSeen(stored)).toBe((startSeconds + 50) * 1000);
    await client.importOfflineToken(token(tokenClaims({ iat: startSeconds + 200 })));
    expect(lastSeen(stored)).toBe((startSeconds + 200) * 1000);
  });

  test('a clock of finer steps than a millisecond is read back too', async () => {
    const fine = () => startSeconds * 1000 + 5_000_000.25;
    const one = scripted(offline, { retry: { attempts: 1 }, now: fine });
    await one.client.access();
    const again = scripted(offline, { retry: { attempts: 1 }, stored: one.stored });
    await again.client.importOfflineToken(token());
    expect(await again.client.access()).toMatchObject({ code: 'UNREACHABLE' });
    expect(again.of('clock-suspect')).toHaveLength(1);
  });

  test('a clock set back makes a token unusable, also after a restart, and says so once', async () => {
    const one = scripted(offline, { retry: { attempts: 1 } });
    await one.client.importOfflineToken(token());
    one.advance(1000);
    expect(await one.client.access()).toMatchObject({ code: 'VALID' });
    const again = scripted(offline, { retry: { attempts: 1 }, stored: one.stored });
    again.advance(700);
    expect(await again.client.access()).toMatchObject({ code: 'VALID' });
    again.advance(-0.001);
    expect(await again.client.access()).toMatchObject({ code: 'CLOCK_ROLLED_BACK', allowed: false });
    await again.client.access();
    expect(again.of('clock-suspect')).toEqual([
      { now: new Date(again.clock.ms).toISOString(), lastSeen: iso(1000) },
    ]);
    again.advance(1);
    expect(await again.client.access()).toMatchObject({ code: 'VALID' });
    again.advance(-1);
    await again.client.access();
    expect(again.of('clock-suspect')).toHaveLength(2);
  });

  test('a signed answer proves that the clock was only ahead; an unsigned one does not', async () => {
    const one = scripted(offline, { retry: { attempts: 1 } });
    await one.client.importOfflineToken(token());
    one.advance(10 * day);
    await one.client.access();
    one.advance(-10 * day);
    one.serve(() => valid({ serverTime: iso(0) }));
    await one.client.access();
    one.serve(offline);
    expect(await one.client.access({ force: true })).toMatchObject({ code: 'CLOCK_ROLLED_BACK' });
    one.serve((asked) => signed(asked, valid(), iso(0)));
    await one.client.access({ force: true });
    one.serve(offline);
    expect(await one.client.access({ force: true })).toMatchObject({
      code: 'VALID',
      source: 'offline-token',
    });
  });
});
