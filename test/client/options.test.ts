// What a developer is told about the options when the client is made.
import { describe, expect, test } from 'vitest';
import { type ClientOptions, createLicenseClient } from '../../src/client/index.ts';
import { machineId, rootPem } from './signer.ts';

const good: ClientOptions = {
  baseUrl: 'https://licenses.test',
  product: 'editor',
  machine: { id: machineId },
  rootKeys: [rootPem],
};

/** @param change as plain JavaScript may pass it */
function messageOf(change: object): string {
  try {
    createLicenseClient({ ...good, ...change });
    return 'fine';
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError);
    return (error as Error).message;
  }
}

const noStorage = { get: async () => null, set: async () => undefined };

test.each<[object, string | RegExp]>([
  [{ licenceKey: 'APP-AAAA-BBBB' }, 'unknown option licenceKey. Did you mean licenseKey?'],
  [{ baseURL: 'https://licenses.test' }, 'unknown option baseURL. Did you mean baseUrl?'],
  [{ offline: { ttl: 3600 } }, 'unknown option offline.ttl. Did you mean offline.ttlSeconds?'],
  [{ retry: { retires: 3 } }, 'unknown option retry.retires. Options are attempts, baseMs, maxMs'],
  [{ offline: true }, 'offline must be an object, such as { enabled: … }'],
  [{ baseUrl: 'licenses.test' }, /^baseUrl must begin with https:\/\/.*this is "licenses.test"$/],
  [{ baseUrl: 'https://licenses.test/api/v1/' }, /^baseUrl must end before \/api\/v1/],
  [{ product: undefined }, 'product must be the slug of your product'],
  [{ product: 'Photo Editor' }, /this is "Photo Editor". appctl product list shows it$/],
  [{ apiKey: '' }, /^apiKey must be a text/],
  [{ machine: undefined }, 'machine is missing: { id: await createMachineId(storage) }'],
  [{ machine: { id: Promise.resolve('x') } }, 'machine.id is a promise: await createMachineId(storage)'],
  [{ machine: { id: 'short' } }, 'machine.id must have 8 to 255 characters; this has 5'],
  [{ rootKeys: undefined }, /^rootKeys must be an array: /],
  [{ rootKeys: rootPem }, /^rootKeys must be an array: /],
  [{ rootKeys: ['-----BEGIN PRIVATE KEY-----'] }, /holds a private key, which must never ship/],
  [{ rootKeys: [], offline: { enabled: true } }, /^offline.enabled needs a root key/],
  [{ storage: noStorage }, 'storage lacks delete: it needs get, set and delete'],
  [{ storage: Promise.resolve(noStorage) }, 'storage must be an object with get, set and delete'],
  [{ timeoutMs: 10 }, 'timeoutMs must be at least 100 milliseconds; for 10 seconds write 10000'],
  [
    { offline: { outageGraceSeconds: 86_400_000 } },
    'offline.outageGraceSeconds must be from 0 to 34560000 seconds; 86400000 milliseconds are 86400 seconds',
  ],
  [{ offline: { ttlSeconds: 60 } }, 'offline.ttlSeconds must be from 3600 to 34560000 seconds'],
  [{ signedResponses: true }, 'signedResponses must be "off", "verify" or "require"'],
  [{ fetch: 'fetch' }, 'fetch must be a function'],
])('%j', (change, message) => {
  if (typeof message === 'string') expect(messageOf(change)).toBe(message);
  else expect(messageOf(change)).toMatch(message);
});

describe('what is fine', () => {
  test.each([
    {},
    { licenseKey: undefined, storage: undefined, offline: undefined },
    { baseUrl: 'http://127.0.0.1:8480/licenses/' },
    { updates: { frozenAfterSeconds: Number.POSITIVE_INFINITY } },
    { rootKeys: [] },
  ])('%j', (change) => {
    expect(messageOf(change)).toBe('fine');
  });
});
