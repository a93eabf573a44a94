// access() while nobody answers: token, last good answer, clock (licensing.md 7.3).
import { describe, expect, test } from 'vitest';
import {
  type Answer,
  invalid,
  license,
  licenseKey,
  offline,
  ok,
  refuse,
  scripted,
  settle,
  signed,
  valid,
} from './scripted.ts';
import { newKey, startSeconds, token, tokenClaims } from './signer.ts';

const day = 86_400;
const later = (seconds: number) => new Date((startSeconds + seconds) * 1000).toISOString();

/** A client that holds a token and has lost its server. */
async function withToken(text = token(), more: Parameters<typeof scripted>[1] = {}) {
  const one = scripted(offline, { retry: { attempts: 1 }, ...more });
  await one.client.importOfflineToken(text);
  return one;
}

describe('step 2: the stored token', () => {
  test('is used when the server gave no usable answer', async () => {
    const { client, serve } = await withToken();
    const byToken = { allowed: true, code: 'VALID', source: 'offline-token', offlineUntil: later(30 * day) };
    const noAnswers: Answer[] = [
      { status: 200, body: '<html>Log in to this network</html>' },
      { status: 502, body: '' },
      refuse(500, 'SERVER_ERROR'),
      refuse(401, 'API_KEY_REVOKED'),
      refuse(403, 'INSUFFICIENT_SCOPE'),
      refuse(404, 'NOT_FOUND'),
      refuse(429, 'RATE_LIMITED', {}, { 'Retry-After': '900' }),
      ok({ valid: 'yes' }),
    ];
    expect(await client.access()).toMatchObject(byToken);
    for (const answer of noAnswers) {
      serve(() => answer);
      expect(await client.access()).toMatchObject(byToken);
    }
  });

  test.each([
    'EXPIRED',
    'NOT_ACTIVATED',
    'VERSION_NOT_ALLOWED',
    'INVALID_KEY',
    'REVOKED',
    'SUSPENDED',
    'NOT_FOUND',
  ])('never overrides a fresh refusal: %s', async (code) => {
    const { client, serve } = await withToken();
    serve(() => invalid(code));
    expect(await client.access()).toMatchObject({ allowed: false, code, source: 'server' });
  });

  test.each([
    ['REVOKED', 'UNREACHABLE'],
    ['SUSPENDED', 'UNREACHABLE'],
    ['NOT_FOUND', 'UNREACHABLE'],
    ['EXPIRED', 'VALID'],
    ['NOT_ACTIVATED', 'VALID'],
  ])('after %s the next outage is %s', async (code, then) => {
    const { client, serve, stored } = await withToken();
    serve(() => invalid(code));
    await client.access();
    expect(stored.has('appctl.editor.token')).toBe(then === 'VALID');
    serve(offline);
    expect(await client.access({ force: true })).toMatchObject({ code: then });
  });

  test('is verified again at every use', async () => {
    const { client, advance, stored } = await withToken();
    expect(await client.access()).toMatchObject({ code: 'VALID' });
    advance(30 * day);
    expect(await client.access()).toMatchObject({
      code: 'TOKEN_EXPIRED',
      allowed: false,
      source: 'offline-token',
    });
    advance(-1);
    expect(await client.access()).toMatchObject({ code: 'VALID' });
    const kept = JSON.parse(stored.get('appctl.editor.token') ?? '');
    stored.set(
      'appctl.editor.token',
      JSON.stringify({ ...kept, token: token(tokenClaims(), { key: newKey() }) }),
    );
    expect(await client.access()).toMatchObject({ code: 'SIGNATURE_INVALID', allowed: false });
  });

  test('survives a restart, and is of no use on another machine', async () => {
    const { stored } = await withToken();
    const again = scripted(offline, { stored });
    expect(await again.client.access()).toMatchObject({ code: 'VALID', source: 'offline-token' });
    const copied = scripted(offline, { stored, machine: { id: 'machine-0002' } });
    expect(await copied.client.access()).toMatchObject({ code: 'WRONG_MACHINE', allowed: false });
  });

  test('an import that is refused is not kept, and changes nothing', async () => {
    const { client, of } = await withToken();
    await client.access();
    const bad = token(tokenClaims({ exp: startSeconds - 1 }));
    expect(await client.importOfflineToken(bad)).toMatchObject({ code: 'TOKEN_EXPIRED', allowed: false });
    expect(await client.importOfflineToken('nonsense')).toMatchObject({ code: 'MALFORMED' });
    expect(await client.access()).toMatchObject({ code: 'VALID' });
    expect(of('access')).toHaveLength(1);
  });

  test('a machine without network and without a key works by its token alone', async () => {
    const { client, asked } = await withToken(undefined, { licenseKey: undefined });
    expect(await client.access()).toMatchObject({
      allowed: true,
      source: 'offline-token',
      features: { sso: true },
    });
    expect(client.feature('sso')).toBe(true);
    expect(asked).toEqual([]);
    expect(JSON.parse(client.exportRequest())).toEqual({
      product: 'editor',
      machineId: 'machine-0001',
      appVersion: null,
    });
  });
});

describe('step 3: the last good answer', () => {
  const grace = { retry: { attempts: 1 }, offline: { outageGraceSeconds: 3600 } };
  const answered = async (answer = valid(), more: Parameters<typeof scripted>[1] = grace) => {
    const one = scripted(() => answer, more);
    await one.client.access();
    one.serve(offline);
    return one;
  };

  test('counts until it is outageGraceSeconds old', async () => {
    const { client, advance } = await answered();
    advance(3600);
    expect(await client.access()).toMatchObject({
      allowed: true,
      code: 'VALID',
      source: 'cache',
      checkedAt: later(0),
      offlineUntil: later(3600),
      license,
    });
    advance(0.001);
    expect(await client.access()).toMatchObject({ allowed: false, code: 'UNREACHABLE', source: 'none' });
  });

  test('does not count by default', async () => {
    const { client, advance } = await answered(valid(), { retry: { attempts: 1 } });
    advance(60);
    expect(await client.access()).toMatchObject({ code: 'UNREACHABLE' });
  });

  test('survives a restart without the license key in the storage', async () => {
    const { stored } = await answered();
    expect([...stored.values()].join()).not.toContain(licenseKey);
    const again = scripted(offline, { ...grace, stored });
    expect(await again.client.access()).toMatchObject({ source: 'cache', license: { key: licenseKey } });
  });

  test('is forgotten at a refusal', async () => {
    const { client, serve, advance } = await answered();
    serve(() => invalid('NOT_ACTIVATED'));
    await client.access({ force: true });
    serve(offline);
    advance(60);
    expect(await client.access()).toMatchObject({ code: 'UNREACHABLE' });
  });

  test('is forgotten when the machine gives its license back', async () => {
    const { client, serve } = await answered();
    serve(() => ok());
    await client.deactivate();
    serve(offline);
    expect(await client.access()).toMatchObject({ code: 'UNREACHABLE' });
  });

  test('ends with its license', async () => {
    const { client, advance } = await answered(valid({ license: { ...license, validUntil: later(600) } }));
    advance(599);
    expect(await client.access()).toMatchObject({ source: 'cache', offlineUntil: later(600) });
    advance(1);
    expect(await client.access()).toMatchObject({ code: 'UNREACHABLE' });
  });

  test('stands behind a token, also behind what a genuine one refuses', async () => {
    const { client, advance } = await answered();
    advance(60);
    await client.importOfflineToken(token(tokenClaims({ vu: startSeconds + 120 })));
    expect(await client.access()).toMatchObject({ source: 'offline-token', code: 'VALID' });
    advance(60);
    expect(await client.access()).toMatchObject({ source: 'offline-token', code: 'EXPIRED' });
  });

  test('replaces a token whose own life is over', async () => {
    const { client, advance } = await answered();
    advance(60);
    await client.importOfflineToken(token(tokenClaims({ exp: startSeconds + 120 })));
    advance(60);
    expect(await client.access()).toMatchObject({ source: 'cache', code: 'VALID' });
    advance(3600);
    expect(await client.access()).toMatchObject({ source: 'offline-token', code: 'TOKEN_EXPIRED' });
  });

  test('of a clock that was set back since is not used, whatever a signed time proves', async () => {
    const one = await answered();
    one.advance(301);
    one.serve(() => valid());
    await one.client.access({ force: true });
    one.advance(-301);
    one.serve((asked) => signed(asked, ok(), later(0)));
    await one.client.heartbeat();
    one.serve(offline);
    expect(await one.client.access({ force: true })).toMatchObject({ code: 'UNREACHABLE' });
    expect(one.of('clock-suspect')).toEqual([]);
    one.advance(1);
    expect(await one.client.access()).toMatchObject({ source: 'cache' });
  });

  test.each([{ features: null }, { features: [] }, { license: 'x' }, { license: undefined }])(
    'that is damaged counts as nothing: %j',
    async (damage) => {
      const { stored } = await answered();
      const kept = JSON.parse(stored.get('appctl.editor.answer') ?? '');
      stored.set('appctl.editor.answer', JSON.stringify({ access: { ...kept.access, ...damage } }));
      const { client } = scripted(offline, { ...grace, stored });
      expect(await client.access()).toMatchObject({ code: 'UNREACHABLE' });
      expect(client.feature('sso')).toBeUndefined();
    },
  );

  test('the clock rule holds for it', async () => {
    const { client, advance, of } = await answered();
    advance(-300);
    expect(await client.access()).toMatchObject({ source: 'cache' });
    expect(of('clock-suspect')).toEqual([]);
    advance(-0.001);
    expect(await client.access()).toMatchObject({ code: 'UNREACHABLE' });
    expect(of('clock-suspect')).toHaveLength(1);
  });
});

test('step 4: nothing is UNREACHABLE, with the reason in words; a refused application is told to its vendor', async () => {
  const { client, serve, of } = scripted(offline, { retry: { attempts: 1 } });
  expect(await client.access()).toMatchObject({
    allowed: false,
    enforced: true,
    code: 'UNREACHABLE',
    status: null,
    message: 'The license could not be checked: the license server cannot be reached',
  });
  expect(of('background-error')).toEqual([]);
  serve(() => refuse(401, 'API_KEY_REVOKED'));
  expect(await client.access()).toMatchObject({ code: 'UNREACHABLE' });
  expect(of('background-error')).toMatchObject([{ code: 'API_KEY_REVOKED' }]);
});

test('a storage that fails is an empty storage, and is told', async () => {
  const broken = () => Promise.reject(new Error('disk full'));
  const { client, of, serve } = scripted(() => valid(), {
    storage: { get: broken, set: broken, delete: broken },
    offline: { outageGraceSeconds: 60 },
  });
  expect(await client.access()).toMatchObject({ code: 'VALID' });
  serve(offline);
  expect(await client.access({ force: true })).toMatchObject({ code: 'UNREACHABLE' });
  await settle();
  expect(of('background-error').every(({ message }) => message === 'disk full')).toBe(true);
  expect(of('background-error').length).toBeGreaterThan(2);
});

test('a storage of plain JavaScript that throws at once, or gives no promise, spoils no answer', async () => {
  const full = () => {
    throw new Error('quota exceeded');
  };
  const kept = new Map<string, string>();
  const plain = {
    get: (key: string) => kept.get(key),
    set: (key: string, value: string) => kept.set(key, value),
    delete: (key: string) => kept.delete(key),
  };
  for (const storage of [{ get: full, set: full, delete: full }, plain]) {
    const { client, serve } = scripted(() => valid({ licensingMode: 'STANDARD' }), {
      storage: storage as never,
    });
    expect(await client.access()).toMatchObject({ code: 'VALID', source: 'server' });
    serve(() => invalid('REVOKED'));
    expect(await client.access({ force: true })).toMatchObject({ code: 'REVOKED', source: 'server' });
  }
});
