// The client as a whole: options, license key, storage, secrets, the end (licensing.md 7.1, 7.2).
import { inspect } from 'node:util';
import { describe, expect, test, vi } from 'vitest';
import * as sdk from '../../src/client/index.ts';
import { activation, license, licenseKey, offline, ok, refuse, scripted, until, valid } from './scripted.ts';
import { machineId, product, rootPem, token } from './signer.ts';

const single = { retry: { attempts: 1 } };

test('the package exports what 7.2 names', () => {
  expect(Object.keys(sdk).sort()).toEqual([
    'ClientError',
    'LicenseApiError',
    'createLicenseClient',
    'createMachineId',
    'localStorageStorage',
    'memoryStorage',
    'verifyBundle',
    'verifyOfflineToken',
    'verifyStatement',
  ]);
  expect(Object.keys(scripted().client).sort()).toEqual(
    [
      ...['mode', 'setLicenseKey', 'access', 'activate', 'validate', 'deactivate', 'check', 'heartbeat'],
      ...['startHeartbeat', 'stopHeartbeat', 'checkout', 'checkin', 'holdSeat', 'recordUsage', 'queueUsage'],
      ...[
        'flushUsage',
        'entitlement',
        'feature',
        'refreshOfflineToken',
        'importOfflineToken',
        'exportRequest',
      ],
      ...['checkForUpdate', 'downloadUpdate', 'on', 'close'],
    ].sort(),
  );
});

describe('options that could never work are a TypeError at once', () => {
  test.each([
    { baseUrl: 'licenses.test' },
    { baseUrl: 'ftp://licenses.test' },
    { baseUrl: 'https://user:secret@licenses.test' },
    { baseUrl: 'https://licenses.test/?key=1' },
    { product: '' },
    { machine: { id: 'short' } },
    { machine: { id: 'x'.repeat(256) } },
    { rootKeys: ['nonsense'] },
    { updates: { channel: 'edge' as 'beta' } },
    { updates: { frozenAfterSeconds: 0 } },
    { updates: { frozenAfterSeconds: Number.NaN } },
  ])('%j', (options) => {
    expect(() => scripted(() => valid(), options)).toThrow(TypeError);
  });

  test('characters of a machine id are counted as the server counts them', () => {
    const { client } = scripted(() => valid(), { machine: { id: '😀'.repeat(255) } });
    expect(client.mode).toBeNull();
    expect(() => scripted(() => valid(), { machine: { id: '😀'.repeat(7) } })).toThrow(TypeError);
  });
});

describe('operations', () => {
  test('activate says what the machine is', async () => {
    const machine = { id: machineId, name: 'Desk', osName: 'Linux', osVersion: '6.1' };
    const answer = ok({ message: 'done', license, activation, versionAllowed: false });
    const { client, asked } = scripted(() => answer, { machine, appVersion: '3.0' });
    const done = { activated: true, code: 'ACTIVATED', message: 'done' };
    expect(await client.activate()).toEqual({ ...done, license, activation, versionAllowed: false });
    expect(asked[0]?.body).toEqual({
      licenseKey,
      machineId,
      machineName: 'Desk',
      osName: 'Linux',
      osVersion: '6.1',
      appVersion: '3.0',
      nonce: expect.any(String),
    });
  });

  test('entitlement', async () => {
    const { client, asked, serve } = scripted(() => ok({ valid: true, entitled: true, value: 5 }));
    expect(await client.entitlement('seats')).toEqual({ valid: true, entitled: true, value: 5 });
    expect(asked[0]?.body).toMatchObject({ key: licenseKey, entitlement: 'seats' });
    expect(asked[0]?.url).toContain('/api/v1/license/validate-entitlement');
    serve(() => ok({ valid: false, entitled: false, value: null }));
    expect(await client.entitlement('sso')).toEqual({ valid: false, entitled: false, value: null });
  });

  test('the API key may be fetched for each request, or be left to a backend', async () => {
    const fetched = scripted(() => valid(), { apiKey: async () => 'alk_fresh' });
    await fetched.client.validate();
    expect(fetched.asked[0]?.headers.get('X-API-Key')).toBe('alk_fresh');
    const none = scripted(() => valid(), { apiKey: undefined });
    await none.client.validate();
    expect(none.asked[0]?.headers.has('X-API-Key')).toBe(false);
  });
});

test('the license key stands in no URL but that of check, in no header, no storage and no log', async () => {
  const logged = (['log', 'info', 'warn', 'error', 'debug'] as const).map((name) => vi.spyOn(console, name));
  const answers = ok({
    ...(valid().body as object),
    ...{ status: 'ACTIVE', type: 'TRIAL', tier: 'PERSONAL', maxVersion: null, features: null },
    ...{ licensingMode: 'STANDARD', entitled: true, usage: { current: 1, max: null }, token: token() },
    ...{ expiresAt: '2026-03-31T12:00:00.000Z' },
  });
  const { client, asked, stored, heard } = scripted(() => answers, {
    offline: { enabled: true, outageGraceSeconds: 60 },
  });
  await client.activate();
  await client.access();
  await client.entitlement('sso');
  await client.queueUsage('export');
  await client.flushUsage();
  await client.heartbeat();
  await client.check();
  await client.deactivate();
  const urls = asked.filter(({ operation }) => operation !== 'check').map(({ url }) => url);
  expect(urls.length).toBeGreaterThan(6);
  expect(urls.join()).not.toContain(licenseKey);
  expect(asked.find(({ operation }) => operation === 'check')?.url).toContain(`/check/${licenseKey}?nonce=`);
  expect(JSON.stringify(asked.map(({ headers }) => [...headers]))).not.toContain(licenseKey);
  expect(JSON.stringify([...stored])).not.toContain(licenseKey);
  for (const spy of logged) {
    expect(spy).not.toHaveBeenCalled();
    spy.mockRestore();
  }
  const errors = heard.filter(({ event }) => event === 'background-error');
  expect(errors).toEqual([]);
});

test('an error of the platform that names the address or a header brings no key into a log', async () => {
  const failures = [
    (url: string) => new TypeError(`error sending request for url (${url})`),
    (url: string) => Object.assign(new TypeError('Unable to connect'), { path: url }),
    (url: string) => new TypeError('fetch failed', { cause: new Error(`connect ${url}`) }),
    (_url: string, key: string) => new TypeError(`Headers.append: "${key}" is an invalid header value.`),
  ];
  for (const failure of failures) {
    const { client } = scripted(() => valid(), {
      ...single,
      fetch: (url, init) => {
        const key = new Headers(init?.headers).get('X-API-Key') ?? '';
        return Promise.reject(failure(String(url), key));
      },
    });
    const thrown = await client.check().catch((error: Error) => error);
    expect(thrown).toMatchObject({ code: 'NETWORK', cause: expect.any(Error) });
    const text = inspect(thrown, { showHidden: true, depth: 9 });
    expect(text).not.toContain(licenseKey);
    expect(text).not.toContain('alk_test');
  }
  const harmless = new TypeError('fetch failed');
  const { client } = scripted(() => valid(), { ...single, fetch: () => Promise.reject(harmless) });
  await expect(client.check()).rejects.toMatchObject({ cause: harmless });
});

describe('storage', () => {
  test('two products share one without meeting', async () => {
    const one = scripted(offline, single);
    await one.client.importOfflineToken(token());
    const other = scripted(offline, { ...single, stored: one.stored, product: 'viewer' });
    expect(await other.client.access()).toMatchObject({ code: 'UNREACHABLE' });
    expect([...one.stored.keys()].every((name) => /^appctl\.(editor|viewer)\.\w+$/.test(name))).toBe(true);
  });

  test('in memory by default', async () => {
    const { client } = scripted(offline, { ...single, storage: undefined });
    await client.importOfflineToken(token());
    expect(await client.access()).toMatchObject({ code: 'VALID' });
  });

  test('what is damaged counts as nothing', async () => {
    const stored = new Map(
      ['token', 'answer', 'clock', 'mode', 'owner', 'usage'].map((name) => [
        `appctl.editor.${name}`,
        '{"x":[',
      ]),
    );
    const { client } = scripted(offline, { ...single, stored, offline: { outageGraceSeconds: 9 } });
    expect(await client.access()).toMatchObject({ code: 'UNREACHABLE' });
    await client.queueUsage('export');
    expect(await client.flushUsage()).toEqual({ sent: 0, left: 1 });
  });
});

test('createMachineId makes an id once and keeps it', async () => {
  const { storage, stored } = scripted();
  const id = await sdk.createMachineId(storage);
  expect(id).toMatch(/^[\w-]{32}$/);
  expect(await sdk.createMachineId(storage)).toBe(id);
  expect(await sdk.createMachineId(scripted().storage)).not.toBe(id);
  stored.clear();
  const both = await Promise.all([sdk.createMachineId(storage), sdk.createMachineId(storage)]);
  expect(both[0]).toBe(both[1]);
});

test('exportRequest is one line for support', () => {
  const text = scripted(() => valid(), {
    appVersion: '2.1',
    machine: { id: 'büro\n0001' },
  }).client.exportRequest();
  expect(text).not.toContain('\n');
  expect(JSON.parse(text)).toEqual({ product, machineId: 'büro\n0001', appVersion: '2.1' });
});

describe('close()', () => {
  test('ends what is under way, and everything after it', async () => {
    const { client, asked } = scripted(() => new Promise(() => undefined));
    const access = client.access();
    await until(() => asked.length === 1);
    await client.close();
    await expect(access).rejects.toMatchObject({ code: 'ABORTED' });
    await expect(client.access()).rejects.toMatchObject({ code: 'ABORTED' });
    await expect(client.activate()).rejects.toMatchObject({ code: 'ABORTED' });
    expect(asked).toHaveLength(1);
    await client.close();
  });
});

test('the platform’s own fetch and clock are the defaults', async () => {
  const fetched = vi.spyOn(globalThis, 'fetch').mockImplementation(async (_url, init) => {
    expect(init).toMatchObject({ redirect: 'error', credentials: 'omit', cache: 'no-store' });
    const { status, body } = refuse(400, 'INVALID_KEY');
    return new Response(JSON.stringify(body), { status });
  });
  try {
    const client = sdk.createLicenseClient({
      baseUrl: 'https://licenses.test',
      product,
      licenseKey,
      machine: { id: machineId },
      rootKeys: [rootPem],
    });
    await expect(client.validate()).rejects.toMatchObject({ code: 'INVALID_KEY' });
    const { checkedAt } = await client.access();
    expect(Math.abs(Date.parse(checkedAt) - Date.now())).toBeLessThan(5000);
  } finally {
    fetched.mockRestore();
  }
});
