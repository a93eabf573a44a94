// access(), validate() and feature() while the server answers (licensing.md 7.3).
import { describe, expect, test } from 'vitest';
import {
  type Answer,
  activation,
  invalid,
  license,
  licenseKey,
  offline,
  ok,
  refuse,
  type Server,
  scripted,
  settle,
  until,
  valid,
} from './scripted.ts';
import { machineId, token } from './signer.ts';

test('access() sends a nonce and says everything that validate says', async () => {
  const floating = { seatsUsed: 1, seatsTotal: 5, seatsAvailable: 4, leaseExpiresAt: null };
  const usage = { current: 3, max: 10, remaining: 7, percentUsed: 30 };
  const more = { versionAllowed: true, floating, usage, licensingMode: 'STANDARD' };
  const { client, asked, iso } = scripted(() => valid(more), { appVersion: '2.1' });
  expect(await client.access()).toEqual({
    allowed: true,
    enforced: true,
    valid: true,
    code: 'VALID',
    status: 'ACTIVE',
    message: 'fine',
    source: 'server',
    mode: 'STANDARD',
    license,
    activation,
    features: { sso: true },
    grace: false,
    graceExpiresAt: null,
    versionAllowed: true,
    usage,
    seats: { seatsUsed: 1, seatsTotal: 5, seatsAvailable: 4 },
    checkedAt: iso(),
    offlineUntil: null,
    offlineProblem: null,
    retryAfterSeconds: null,
    retryAt: null,
  });
  const nonce = expect.stringMatching(/^[A-Za-z0-9_-]{16,64}$/);
  expect(asked.map(({ method, url, body }) => ({ method, url, body }))).toEqual([
    {
      method: 'POST',
      url: 'https://licenses.test/base/api/v1/license/validate',
      body: { licenseKey, machineId, appVersion: '2.1', nonce },
    },
  ]);
  expect(asked[0]?.headers.get('X-API-Key')).toBe('alk_test');
});

describe('an answer is final', () => {
  test.each(['REVOKED', 'SUSPENDED', 'EXPIRED', 'NOT_ACTIVATED', 'VERSION_NOT_ALLOWED', 'INVALID_KEY'])(
    '%s',
    async (code) => {
      const { client, operations } = scripted(() => invalid(code));
      expect(await client.access()).toMatchObject({ allowed: false, valid: false, code, source: 'server' });
      expect(operations()).toEqual(['validate']);
    },
  );

  test('an unknown key has neither status nor license', async () => {
    const unknown = { status: null, license: null };
    const { client } = scripted(() => invalid('NOT_FOUND', unknown));
    expect(await client.access()).toMatchObject({
      ...unknown,
      allowed: false,
      code: 'NOT_FOUND',
      features: {},
    });
  });

  test('grace: allowed, and the application can say until when', async () => {
    const graceExpiresAt = '2026-03-08T00:00:00.000Z';
    const answer = valid({ status: 'EXPIRED', code: 'GRACE', grace: true, graceExpiresAt });
    const { client } = scripted(() => answer);
    expect(await client.access()).toMatchObject({
      allowed: true,
      code: 'GRACE',
      status: 'EXPIRED',
      grace: true,
      graceExpiresAt,
    });
  });
});

describe('one request for many', () => {
  test('concurrent calls share one request, forced ones too', async () => {
    const { client, operations } = scripted();
    const all = await Promise.all([client.access(), client.access({ force: true }), client.access()]);
    expect(operations()).toEqual(['validate']);
    expect(all[1]).toBe(all[0]);
    expect(all[2]).toBe(all[0]);
  });

  test('an answer is used again for less than 60 s, unless force is set', async () => {
    const { client, operations, advance } = scripted();
    const first = await client.access();
    advance(59.999);
    expect(await client.access()).toBe(first);
    expect(operations()).toHaveLength(1);
    advance(0.001);
    await client.access();
    expect(operations()).toHaveLength(2);
    await client.access({ force: true });
    expect(operations()).toHaveLength(3);
    advance(-1);
    await client.access();
    expect(operations()).toHaveLength(4);
  });

  test('no answer is nothing to use again', async () => {
    const { client, operations, serve } = scripted(offline);
    expect(await client.access()).toMatchObject({ code: 'UNREACHABLE', allowed: false, source: 'none' });
    serve(() => valid());
    expect(await client.access()).toMatchObject({ code: 'VALID' });
    expect(operations()).toHaveLength(4);
  });

  test.each(['activate', 'deactivate', 'checkout', 'checkin'] as const)(
    'what was answered before %s is not used again',
    async (operation) => {
      const seats = { seatsUsed: 1, seatsTotal: 5, seatsAvailable: 4 };
      const lease = { id: 'act_1', machineId, leaseExpiresAt: '2026-03-01T13:00:00.000Z' };
      const { client, operations, serve } = scripted(() => invalid('NOT_ACTIVATED'));
      await client.access();
      serve(({ operation: asked }) =>
        asked === 'validate' ? valid() : ok({ license, activation: { ...activation, ...lease }, ...seats }),
      );
      await client[operation]();
      expect(await client.access()).toMatchObject({ code: 'VALID' });
      expect(operations()).toEqual(['validate', operation, 'validate']);
    },
  );

  test('an answer that was under way during activate is not used again', async () => {
    const answers: ((answer: Answer) => void)[] = [];
    const { client, asked, serve } = scripted(() => new Promise((resolve) => answers.push(resolve)));
    const before = client.access();
    await until(() => asked.length === 1);
    serve(({ operation }) => (operation === 'activate' ? ok({ license, activation }) : valid()));
    await client.activate();
    answers[0]?.(invalid('NOT_ACTIVATED'));
    expect(await before).toMatchObject({ code: 'NOT_ACTIVATED' });
    expect(await client.access()).toMatchObject({ code: 'VALID' });
  });

  test('whoever leaves leaves alone; the last one gives the request up', async () => {
    const answers: ((answer: Answer) => void)[] = [];
    const slow: Server = () => new Promise((resolve) => answers.push(resolve));
    const { client, asked, serve } = scripted(slow);
    const leave = new AbortController();
    const first = client.access({ signal: leave.signal });
    const second = client.access();
    await until(() => asked.length === 1);
    leave.abort();
    await expect(first).rejects.toMatchObject({ code: 'ABORTED' });
    expect(asked[0]?.signal.aborted).toBe(false);
    answers[0]?.(valid());
    expect(await second).toMatchObject({ code: 'VALID' });

    const alone = new AbortController();
    const third = client.access({ force: true, signal: alone.signal });
    await until(() => asked.length === 2);
    alone.abort();
    await expect(third).rejects.toMatchObject({ code: 'ABORTED' });
    await until(() => asked[1]?.signal.aborted === true);
    serve(() => valid());
    expect(await client.access({ force: true })).toMatchObject({ code: 'VALID' });
  });
});

test('validate() always asks, and throws where access() would look elsewhere', async () => {
  const { client, operations, serve } = scripted();
  await client.access();
  expect(await client.validate()).toMatchObject({ code: 'VALID', source: 'server' });
  expect(operations()).toHaveLength(2);
  serve(offline);
  await client.importOfflineToken(token());
  await expect(client.validate()).rejects.toMatchObject({ code: 'NETWORK' });
  serve(() => refuse(401, 'API_KEY_REVOKED'));
  await expect(client.validate()).rejects.toMatchObject({ code: 'API_KEY_REVOKED' });
});

test('the event access comes when allowed or code changes, and else not', async () => {
  const answers = [valid(), valid({ message: 'other' }), invalid('EXPIRED'), invalid('REVOKED'), valid()];
  const { client, of } = scripted(() => answers.shift() as Answer);
  for (let call = 0; call < 5; call += 1) await client.access({ force: true });
  expect(of('access').map(({ allowed, code }) => [allowed, code])).toEqual([
    [true, 'VALID'],
    [false, 'EXPIRED'],
    [false, 'REVOKED'],
    [true, 'VALID'],
  ]);
});

test('feature() reads the last access, without the network', async () => {
  const features = JSON.parse('{"seats": 5, "sso": false, "__proto__": "own", "none": null}');
  const { client, operations } = scripted(() => valid({ license: { ...license, features } }));
  expect(client.feature('seats')).toBeUndefined();
  await client.access();
  expect(client.feature('seats')).toBe(5);
  expect(client.feature('sso')).toBe(false);
  expect(client.feature('none')).toBeNull();
  expect(client.feature('__proto__')).toBe('own');
  expect(client.feature('toString')).toBeUndefined();
  expect(operations()).toHaveLength(1);
});

test('no key: nobody is asked, access() says so, and calls that need one are refused', async () => {
  const { client, operations } = scripted(() => valid(), { licenseKey: undefined });
  expect(await client.access()).toMatchObject({ allowed: false, code: 'NO_LICENSE_KEY', source: 'none' });
  expect(await client.activate()).toMatchObject({ activated: false, code: 'NO_LICENSE_KEY' });
  await expect(client.check()).rejects.toMatchObject({ code: 'NO_LICENSE_KEY' });
  expect(operations()).toEqual([]);
});

test.each<[string | undefined, string]>([
  ['', 'NO_LICENSE_KEY'],
  [' ', 'NO_LICENSE_KEY'],
  [undefined, 'NO_LICENSE_KEY'],
  ['abc', 'INVALID_KEY'],
  ['x'.repeat(101), 'INVALID_KEY'],
])('what a user types in place of a key, %j, is %s without asking', async (typed, code) => {
  const { client, operations } = scripted();
  await client.setLicenseKey(typed as string);
  expect(await client.access()).toMatchObject({ allowed: false, code });
  expect(await client.activate()).toMatchObject({ activated: false, code, requestId: null });
  expect(operations()).toEqual([]);
});

test('a listener that throws disturbs neither the client nor the other listeners', async () => {
  const { client, of } = scripted();
  const told: string[] = [];
  client.on('access', () => {
    throw new Error('from the listener');
  });
  const end = client.on('access', ({ code }) => told.push(code));
  expect(await client.access()).toMatchObject({ code: 'VALID' });
  expect(told).toEqual(['VALID']);
  expect(of('background-error').map(({ message }) => message)).toEqual(['from the listener']);
  end();
  await client.access({ force: true });
  await settle();
  expect(told).toEqual(['VALID']);
});
