// Distinct unknown credentials per address (D19d), and addresses that a client only claims to have (D16).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';

let app: TestApp;
let key: string;
beforeAll(async () => {
  const pins = { 'licensing.limits.failures.max': '3' };
  app = await startApp({ limits: 'on', proxyTrust: '127.0.0.1', pins });
  key = (await app.apiKey('READ_ONLY')).secret;
});
afterAll(() => app.close());

let addresses = 0;
const freshAddress = () => {
  addresses += 1;
  return `198.51.100.${addresses}`;
};
let guesses = 0;
const freshGuess = () => {
  guesses += 1;
  return `alk_guess-${guesses}`;
};
const ask = (secret: string | undefined, address: string, path = '/api/v1/products') =>
  app.get(path, secret, { 'X-Forwarded-For': address });
const statusOf = async (secret: string | undefined, address: string) => (await ask(secret, address)).status;

it('the guess beyond the limit answers 429, and so does everything with a key from that address', async () => {
  const address = freshAddress();
  for (const _ of [1, 2, 3]) expect(await statusOf(freshGuess(), address)).toBe(401);
  const reply = await ask(freshGuess(), address);
  expect(reply.status).toBe(429);
  expect(reply.body.error).toMatchObject({
    code: 'RATE_LIMITED',
    details: { bucket: 'failures', limit: 3, resetSeconds: 900 },
  });
  expect(reply.headers).toMatchObject({
    'ratelimit-limit': '3',
    'ratelimit-remaining': '0',
    'ratelimit-reset': '900',
    'retry-after': '900',
  });
  // A right key does not help, and no key at all is no way to find out.
  expect(await statusOf(key, address)).toBe(429);
  expect(await statusOf(undefined, address)).toBe(429);
  expect((await ask(undefined, address, '/api/health')).status).toBe(200);
  // Others go on; so does the address when its window has ended.
  expect(await statusOf(key, freshAddress())).toBe(200);
  app.clock.advance(899);
  expect(await statusOf(key, address)).toBe(429);
  app.clock.advance(1);
  expect(await statusOf(key, address)).toBe(200);
});

it('one dead key again and again counts once', async () => {
  const address = freshAddress();
  const dead = freshGuess();
  for (let index = 0; index < 20; index++) expect(await statusOf(dead, address)).toBe(401);
  expect(await statusOf(key, address)).toBe(200);
});

it('a revoked key and a scope too low are no guesses', async () => {
  const address = freshAddress();
  for (let index = 0; index < 6; index++) {
    const { secret } = await app.apiKey('VALIDATE_ONLY');
    expect(await statusOf(secret, address)).toBe(403);
  }
  expect(await statusOf(key, address)).toBe(200);
});

it('guesses that come together are not more than the limit', async () => {
  const address = freshAddress();
  const replies = await Promise.all(Array.from({ length: 30 }, () => statusOf(freshGuess(), address)));
  expect(replies.filter((status) => status === 401).length).toBe(3);
});

it('an IPv6 client guesses with its whole /64', async () => {
  for (const host of [1, 2, 3]) expect(await statusOf(freshGuess(), `2001:db8::${host}`)).toBe(401);
  expect(await statusOf(freshGuess(), '2001:db8::4')).toBe(429);
  expect(await statusOf(key, '2001:db8::5')).toBe(429);
  expect(await statusOf(key, '2001:db8:0:1::5')).toBe(200);
});

describe('X-Forwarded-For', () => {
  it('of a trusted proxy: the right-most entry that is no proxy counts', async () => {
    const address = freshAddress();
    const { secret } = await app.apiKey('READ_ONLY', { ipAllowlist: [address] });
    expect(await statusOf(secret, `6.6.6.6, ${address}`)).toBe(200);
    expect(await statusOf(secret, `6.6.6.6, ${address}, 127.0.0.1`)).toBe(200);
    expect(await statusOf(secret, `${address}, 6.6.6.6`)).toBe(403);
    expect(await statusOf(secret, `${address}, 127.0.0.2`)).toBe(403);
  });

  it('Forwarded, X-Real-IP and CF-Connecting-IP are not read', async () => {
    const { secret } = await app.apiKey('READ_ONLY', { ipAllowlist: ['127.0.0.1'] });
    const headers = { Forwarded: 'for=6.6.6.6', 'X-Real-IP': '6.6.6.6', 'CF-Connecting-IP': '6.6.6.6' };
    expect((await app.get('/api/v1/products', secret, headers)).status).toBe(200);
  });
});

describe('without a trusted proxy', () => {
  let plain: TestApp;
  beforeAll(async () => {
    const pins = { 'licensing.limits.failures.max': '0', 'licensing.limits.read_extra.max': '60' };
    plain = await startApp({ limits: 'on', pins });
  });
  afterAll(() => plain.close());

  it('no header changes who a client is', async () => {
    const { secret } = await plain.apiKey('READ_ONLY', { ipAllowlist: ['10.0.0.1'] });
    const spoofed = await plain.get('/api/v1/products', secret, { 'X-Forwarded-For': '10.0.0.1' });
    expect(spoofed.body.error?.code).toBe('IP_NOT_ALLOWED');
    for (let index = 1; index < 60; index++)
      await plain.get('/api/v1/products', secret, { 'X-Forwarded-For': `10.0.0.${index}` });
    const last = await plain.get('/api/v1/products', secret, { 'X-Forwarded-For': '10.9.9.9' });
    expect(last.status).toBe(429);
  });

  it('0 switches the counting of guesses off', async () => {
    for (let index = 0; index < 110; index++) {
      const reply = await plain.post('/api/v1/license/activate', {}, freshGuess());
      expect(reply.status).toBe(401);
    }
  });
});
