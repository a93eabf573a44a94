// Signed answers: off, verify, require (licensing.md 6.13, 7.3).
import { describe, expect, test } from 'vitest';
import { NoEd25519Error, webCryptoVerify } from '../../src/client/ed25519.ts';
import type { Verify } from '../../src/client/option-types.ts';
import {
  type Answer,
  type Asked,
  activation,
  invalid,
  license,
  ok,
  refuse,
  scripted,
  signed,
  valid,
} from './scripted.ts';
import { delegation, delegationClaims, newKey, online, root, startSeconds } from './signer.ts';

const date = '2026-03-01T12:00:00.000Z';
const good = (asked: Asked): Answer => signed(asked, valid(), date);
const bare = (): Answer => valid();
const withHeaders =
  (change: (headers: Record<string, string>) => Record<string, string>) =>
  (asked: Asked): Answer => {
    const answer = good(asked);
    return { ...answer, headers: change(answer.headers ?? {}) };
  };
const keys = (more: Parameters<typeof signed>[3]) => (asked: Asked) => signed(asked, valid(), date, more);

const wrong: [string, (asked: Asked) => Answer][] = [
  [
    'another body',
    (asked) => ({ ...signed(asked, invalid('REVOKED'), date), body: { ...(valid().body as object) } }),
  ],
  [
    'another status',
    (asked) => ({ ...good(asked), headers: signed(asked, { ...valid(), status: 201 }, date).headers }),
  ],
  ['another date', withHeaders((headers) => ({ ...headers, 'X-Response-Date': '2026-03-01T12:00:00.001Z' }))],
  [
    'another nonce',
    (asked) => {
      const other = { ...asked, body: { ...asked.body, nonce: 'A'.repeat(22) } };
      return { ...good(asked), headers: signed(other, valid(), date).headers };
    },
  ],
  ['another key', keys({ key: newKey(), keyId: online.keyId })],
  ['another key id', keys({ keyId: root.keyId })],
  ['no form', withHeaders((headers) => ({ ...headers, 'X-Response-Signature': 'v2;kid=1;sig=1' }))],
  ['a date that is none', withHeaders((headers) => ({ ...headers, 'X-Response-Date': 'now' }))],
  ['a delegation not for answers', keys({ delegated: delegation(delegationClaims({ use: ['license'] })) })],
  ['a delegation of another product', keys({ delegated: delegation(delegationClaims({ prd: 'viewer' })) })],
  ['a forged delegation', keys({ delegated: delegation(delegationClaims(), newKey()) })],
  ['half a delegation', withHeaders((headers) => ({ ...headers, 'X-Response-Delegation': 'abc' }))],
];

describe.each(['verify', 'require'] as const)('%s', (signedResponses) => {
  test('a good signature is an answer', async () => {
    const { client, operations } = scripted(good, { signedResponses });
    expect(await client.validate()).toMatchObject({ code: 'VALID', source: 'server' });
    expect(operations()).toHaveLength(1);
  });

  test.each(wrong)('a wrong one is no answer: %s', async (_what, server) => {
    const { client, operations } = scripted(server, { signedResponses });
    await expect(client.validate()).rejects.toMatchObject({
      name: 'ClientError',
      code: 'RESPONSE_SIGNATURE',
    });
    expect(operations()).toHaveLength(1);
    expect(await client.access()).toMatchObject({ code: 'UNREACHABLE', source: 'none' });
  });

  test('a refusal that is wrongly signed is none, and the cause can be seen', async () => {
    const server = (asked: Asked) => signed(asked, refuse(400, 'ACTIVATION_FAILED'), date, { key: newKey() });
    const { client } = scripted(server, { signedResponses });
    await expect(client.activate()).rejects.toMatchObject({
      code: 'RESPONSE_SIGNATURE',
      cause: { code: 'ACTIVATION_FAILED' },
    });
  });

  test('a signed refusal is one', async () => {
    const { client } = scripted((asked) => signed(asked, refuse(400, 'ACTIVATION_FAILED'), date), {
      signedResponses,
    });
    expect(await client.activate()).toMatchObject({ activated: false, code: 'ACTIVATION_FAILED' });
  });

  test('the question in a path is bound too', async () => {
    const facts = {
      type: 'TRIAL',
      tier: 'PERSONAL',
      maxVersion: null,
      features: null,
      licensingMode: 'STANDARD',
    };
    const { client } = scripted((asked) => signed(asked, ok({ status: 'ACTIVE', ...facts }), date), {
      signedResponses,
    });
    expect(await client.check()).toEqual({ status: 'ACTIVE', ...facts });
  });
});

describe('a missing signature', () => {
  test.each(['X-Response-Date', 'X-Response-Signature', 'X-Response-Delegation'])(
    'without %s the answer is unsigned',
    async (name) => {
      const server = withHeaders(({ [name]: _left, ...rest }) => rest);
      expect(await scripted(server).client.validate()).toMatchObject({ code: 'VALID' });
      const strict = scripted(server, { signedResponses: 'require' });
      await expect(strict.client.validate()).rejects.toMatchObject({ code: 'RESPONSE_SIGNATURE' });
    },
  );

  test('is no answer under require, a refusal included', async () => {
    const { client, serve } = scripted(bare, { signedResponses: 'require' });
    expect(await client.access()).toMatchObject({ code: 'UNREACHABLE' });
    serve(() => invalid('REVOKED'));
    expect(await client.access()).toMatchObject({ code: 'UNREACHABLE' });
    serve(() => refuse(400, 'ACTIVATION_FAILED'));
    await expect(client.activate()).rejects.toMatchObject({ code: 'RESPONSE_SIGNATURE' });
  });

  test.each([
    [401, 'INVALID_API_KEY'],
    [403, 'INSUFFICIENT_SCOPE'],
    [400, 'VALIDATION_ERROR'],
  ])(
    'what is said before any license is known is never signed, and is heard: %i %s',
    async (status, code) => {
      const { client } = scripted(() => refuse(status, code), { signedResponses: 'require' });
      await expect(client.activate()).rejects.toMatchObject({ name: 'LicenseApiError', code });
    },
  );

  test('deactivate has no signature, and works under require', async () => {
    const { client, asked } = scripted(() => ok({ message: 'done' }), { signedResponses: 'require' });
    await expect(client.deactivate()).resolves.toBeUndefined();
    expect(asked[0]?.body).not.toHaveProperty('nonce');
  });
});

test('off: nothing is looked at', async () => {
  for (const [, server] of wrong.slice(4)) {
    expect(await scripted(server, { signedResponses: 'off' }).client.validate()).toMatchObject({
      code: 'VALID',
    });
  }
});

test('verify is the default, and without root keys there is nothing to verify by', async () => {
  const [, forged] = wrong[4] as (typeof wrong)[number];
  await expect(scripted(forged).client.validate()).rejects.toMatchObject({ code: 'RESPONSE_SIGNATURE' });
  expect(await scripted(forged, { rootKeys: [] }).client.validate()).toMatchObject({ code: 'VALID' });
  expect(() => scripted(bare, { rootKeys: [], signedResponses: 'require' })).toThrow(TypeError);
});

test('any root key may verify; a delegation of an unknown one counts as unsigned', async () => {
  const other = newKey();
  const delegated = delegation(delegationClaims({ root: other.keyId }), other);
  const server = keys({ delegated });
  const both = [other.publicKey.toString('base64'), root.publicKey.toString('base64')];
  expect(
    await scripted(server, { rootKeys: both, signedResponses: 'require' }).client.validate(),
  ).toMatchObject({ code: 'VALID', source: 'server' });
  expect(await scripted(server).client.validate()).toMatchObject({ code: 'VALID' });
  const strict = scripted(server, { signedResponses: 'require' });
  await expect(strict.client.validate()).rejects.toMatchObject({ code: 'RESPONSE_SIGNATURE' });
});

test.each([
  ['has ended', { exp: startSeconds }],
  ['begins later', { nbf: startSeconds + 301 }],
])('a delegation that %s by the own clock, which may be wrong, counts as unsigned', async (_what, claims) => {
  const server = keys({ delegated: delegation(delegationClaims(claims)) });
  const { client, stored } = scripted(server);
  expect(await client.access()).toMatchObject({ allowed: true, code: 'VALID', source: 'server' });
  expect(JSON.parse(stored.get('appctl.editor.clock') ?? '').lastSeen).toBe(startSeconds * 1000);
  const strict = scripted(server, { signedResponses: 'require' });
  await expect(strict.client.validate()).rejects.toMatchObject({ code: 'RESPONSE_SIGNATURE' });
  const forged = keys({ delegated: delegation(delegationClaims(claims), newKey()) });
  await expect(scripted(forged).client.validate()).rejects.toMatchObject({ code: 'RESPONSE_SIGNATURE' });
});

test('a delegation is judged once and again when it has ended', async () => {
  const judged: string[] = [];
  const verify: Verify = async (key, message, signature) => {
    judged.push(new TextDecoder().decode(message).slice(0, 8));
    return webCryptoVerify(key, message, signature);
  };
  const delegated = delegation(delegationClaims({ exp: startSeconds + 100 }));
  const { client, advance } = scripted(keys({ delegated }), { verify, signedResponses: 'require' });
  await client.validate();
  await client.validate();
  expect(judged).toEqual(['delegati', 'response', 'response']);
  advance(100);
  await expect(client.validate()).rejects.toMatchObject({ code: 'RESPONSE_SIGNATURE' });
  expect(judged.slice(3)).toEqual(['delegati']);
});

test('a signed date long before an earlier one is refused: it is the one clock to be trusted', async () => {
  const at = (seconds: number) => new Date((startSeconds + seconds) * 1000).toISOString();
  const { client, serve } = scripted((asked) => signed(asked, valid(), at(301)), {
    signedResponses: 'require',
  });
  await client.validate();
  serve((asked) => signed(asked, valid(), at(1)));
  expect(await client.validate()).toMatchObject({ code: 'VALID' });
  serve((asked) => signed(asked, valid(), at(0)));
  await expect(client.validate()).rejects.toMatchObject({ code: 'RESPONSE_SIGNATURE' });
});

test('a platform without Ed25519: verify goes on unsigned and says so once, require does not', async () => {
  const verify: Verify = () => Promise.reject(new NoEd25519Error('none'));
  const { client, of } = scripted(good, { verify });
  await client.validate();
  await client.validate();
  expect(of('background-error').map(({ name }) => name)).toEqual(['NoEd25519Error']);
  const strict = scripted(good, { verify, signedResponses: 'require' });
  await expect(strict.client.validate()).rejects.toThrow(NoEd25519Error);
  expect(await strict.client.access()).toMatchObject({ code: 'UNREACHABLE', allowed: false });
});

test('every operation that is answered with a signature asks for one', async () => {
  const lease = { id: 'act_1', leaseExpiresAt: '2026-03-01T13:00:00.000Z' };
  const everything = {
    license,
    activation: { ...activation, ...lease },
    ...{ seatsUsed: 1, seatsTotal: 2, seatsAvailable: 1 },
    ...{ usage: { current: 1, max: null }, valid: true, entitled: true, value: null },
  };
  const server = (asked: Asked) => signed(asked, ok(everything), date);
  const { client, asked } = scripted(server, { signedResponses: 'require' });
  await client.activate();
  await client.checkout();
  await client.checkin();
  await client.heartbeat();
  await client.recordUsage('export');
  await client.entitlement('sso');
  const nonces = asked.map(({ body }) => body.nonce);
  expect(new Set(nonces).size).toBe(6);
  expect(nonces.every((nonce) => /^[\w-]{22}$/.test(String(nonce)))).toBe(true);
});
