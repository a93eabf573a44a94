// Requests that count in the buckets of the license API, from clients near and behind proxies.
import type { Ask } from './client.ts';
import { withKey } from './installation.ts';
import type { Random } from './random.ts';

/** The one address from which X-Forwarded-For is believed. */
export const PROXY = '127.0.2.1';

/** What requests are made of. */
export interface Subject {
  random: Random;
  licenseKey: string;
  /** API keys by use: each bucket that counts per key gets keys of its own. */
  apiKeys: Record<'read' | 'other' | 'write' | 'write2' | 'restart', string>;
}

/** As many requests as asked for, each made anew. */
export const repeated = (count: number, make: (i: number) => Ask): Ask[] =>
  Array.from({ length: count }, (_, i) => make(i));

/** A request of bucket `read`: with either key, with none, with a body that is no JSON; each costs one point. */
export function readAsk({ licenseKey, apiKeys, random }: Subject, from: string): Ask {
  const headers = withKey(random.pick([apiKeys.read, apiKeys.other]));
  const validate = { method: 'POST' as const, path: '/api/v1/license/validate', from };
  const machineId = `machine-${random.word(8)}`;
  return random.pick<Ask>([
    { path: `/api/v1/license/check/${licenseKey}`, headers, from },
    { path: `/api/v1/license/check/${licenseKey}`, from },
    { ...validate, headers, body: { licenseKey, machineId } },
    { ...validate, headers, body: '{"licenseKey":' },
  ]);
}

/** A request of bucket `write`, from any address: the key is what counts. */
export function writeAsk({ licenseKey, random }: Subject, secret: string): Ask {
  const from = `127.0.3.${1 + random.below(250)}`;
  const machineId = `machine-${random.word(8)}`;
  const post = (path: string, body: unknown): Ask => ({
    method: 'POST',
    path: `/api/v1/license/${path}`,
    headers: withKey(secret),
    body,
    from,
  });
  return random.pick<Ask>([
    post('activate', { licenseKey, machineId }),
    post('deactivate', { licenseKey, machineId }),
    post('create', { productId: 'editor', customerEmail: `${random.word(8)}@example.com` }),
    post('create', {}),
  ]);
}

/** Who counts as the client behind a proxy: the right-most address that is not trusted; else the peer itself. */
export const forwarded: Record<string, (random: Random, i: number) => { from: string; header: string }> = {
  'the right-most untrusted address': (random) => ({
    from: PROXY,
    header: `198.51.100.${random.below(250)}, 203.0.113.7`,
  }),
  'an IPv4 address in both spellings': (_, i) => ({
    from: PROXY,
    header: i % 2 ? '203.0.113.8' : '::ffff:203.0.113.8',
  }),
  'a network of IPv6': (random) => ({
    from: PROXY,
    header: `2001:db8:1:1::${(1 + random.below(65_000)).toString(16)}`,
  }),
  'a peer that is no proxy': (random) => ({ from: '127.0.2.2', header: `203.0.113.${random.below(250)}` }),
};
