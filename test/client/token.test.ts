// verifyOfflineToken: the eight steps of licensing.md 6.2 in their order, each at its edge.
import { describe, expect, test } from 'vitest';
import { NoEd25519Error } from '../../src/client/ed25519.ts';
import { verifyOfflineToken } from '../../src/client/token.ts';
import {
  delegation,
  delegationClaims,
  digest,
  encode,
  machineId,
  newKey,
  online,
  product,
  root,
  rootPem,
  startSeconds,
  token,
  tokenClaims,
} from './signer.ts';

type Options = Parameters<typeof verifyOfflineToken>[1];
const at = (seconds: number) => ({ now: (startSeconds + seconds) * 1000 });
const judge = (text: string, more: Partial<Options> = {}) =>
  verifyOfflineToken(text, { rootKeys: [rootPem], product, machineId, ...at(0), lastSeen: 0, ...more });
const code = async (text: string, more: Partial<Options> = {}) => {
  const access = await judge(text, more);
  expect(access.allowed).toBe(access.valid || access.mode === 'HONOR_SYSTEM');
  return access.code;
};
const delegated = (claims: object, key = root) =>
  token(tokenClaims(), { delegated: delegation(claims, key) });

test('a good token says what the license allows', async () => {
  const good = token(tokenClaims({ mxv: '2', feat: { sso: true, seats: 5 } }));
  expect(await judge(good, { appVersion: '2.1' })).toEqual({
    allowed: true,
    enforced: true,
    valid: true,
    code: 'VALID',
    status: 'ACTIVE',
    message: 'License is valid',
    source: 'offline-token',
    mode: 'STANDARD',
    license: null,
    activation: null,
    features: { sso: true, seats: 5 },
    grace: false,
    graceExpiresAt: null,
    versionAllowed: true,
    usage: null,
    seats: null,
    checkedAt: '2026-03-01T12:00:00.000Z',
    offlineUntil: '2026-03-31T12:00:00.000Z',
    offlineProblem: null,
    retryAfterSeconds: null,
    retryAt: null,
  });
});

test('white space that a mail put into the text does not matter', async () => {
  const good = token();
  expect(await code(` ${good.slice(0, 60)}\r\n${good.slice(60)}\n`)).toBe('VALID');
});

describe('step 1, form: MALFORMED', () => {
  const [p, s, dp, ds] = token().slice('license/'.length).split('.') as [string, string, string, string];
  test.each([
    ['nothing', ''],
    ['no kind', `${p}.${s}.${dp}.${ds}`],
    ['another kind', `timestamp/${p}.${s}.${dp}.${ds}`],
    ['three parts', `license/${p}.${s}.${dp}`],
    ['five parts', `license/${p}.${s}.${dp}.${ds}.${ds}`],
    ['an empty part', `license/${p}..${dp}.${ds}`],
    ['a payload that is no JSON', `license/${Buffer.from('{').toString('base64url')}.${s}.${dp}.${ds}`],
    ['a payload that is a list', `license/${encode([])}.${s}.${dp}.${ds}`],
    ['a payload that is no UTF-8', `license/${Buffer.from([0xff]).toString('base64url')}.${s}.${dp}.${ds}`],
    ['a delegation that is no JSON', `license/${p}.${s}.${Buffer.from('x').toString('base64url')}.${ds}`],
  ])('%s', async (_what, text) => expect(await code(text)).toBe('MALFORMED'));

  test.each([
    { v: 2 },
    { v: '1' },
    { mid: 7 },
    { exp: null },
    { exp: 1.5 },
    { iat: '1' },
    { vu: 'never' },
    { graceUntil: true },
    { feat: [] },
    { mxv: 2 },
    { st: null },
  ])('a claim of another type: %j', async (claims) => {
    expect(await code(token(tokenClaims(claims)))).toBe('MALFORMED');
  });
});

describe('step 2, delegation: DELEGATION_INVALID', () => {
  test.each([
    ['signed by another key', delegated(delegationClaims(), newKey())],
    ['of a root key that is not embedded', delegated(delegationClaims({ root: newKey().keyId }))],
    ['for another product', delegated(delegationClaims({ prd: 'viewer' }))],
    ['not for licenses', delegated(delegationClaims({ use: ['response', 'timestamp'] }))],
    ['with use as a text', delegated(delegationClaims({ use: 'license' }))],
    ['of another version', delegated(delegationClaims({ v: 2 }))],
    ['with a key id of another key', delegated(delegationClaims({ kid: root.keyId }))],
    ['without an end', delegated(delegationClaims({ exp: undefined }))],
    [
      'longer than 400 days',
      delegated(delegationClaims({ nbf: startSeconds, exp: startSeconds + 34_560_001 })),
    ],
    ['that has ended', delegated(delegationClaims({ nbf: startSeconds - 100, exp: startSeconds }))],
    ['that begins later', delegated(delegationClaims({ nbf: startSeconds + 301 }))],
  ])('%s', async (_what, text) => expect(await code(text)).toBe('DELEGATION_INVALID'));

  test('at its edges it holds', async () => {
    expect(await code(delegated(delegationClaims({ nbf: startSeconds - 100, exp: startSeconds + 1 })))).toBe(
      'VALID',
    );
    // A clock may be 300 seconds behind the signer's, as for the token itself.
    expect(await code(delegated(delegationClaims({ nbf: startSeconds + 300 })))).toBe('VALID');
  });

  test('any embedded root key may have signed', async () => {
    const keys = [newKey(), root].map(({ publicKey }) => publicKey.toString('base64'));
    expect(await code(token(), { rootKeys: keys })).toBe('VALID');
    expect(await code(token(), { rootKeys: keys.slice(0, 1) })).toBe('DELEGATION_INVALID');
    expect(await code(token(), { rootKeys: [] })).toBe('DELEGATION_INVALID');
  });
});

describe('step 3, signature: SIGNATURE_INVALID', () => {
  const [head, s, dp, ds] = token().split('.') as [string, string, string, string];
  test.each([
    ['signed by the root key itself', token(tokenClaims(), { key: root })],
    [
      'a payload that was changed',
      `license/${encode(tokenClaims({ feat: { all: true } }))}.${s}.${dp}.${ds}`,
    ],
    ['a signature that was cut', `${head}.${s.slice(0, -4)}.${dp}.${ds}`],
    ['another key id', token(tokenClaims({ kid: root.keyId }))],
    ['another product', token(tokenClaims({ prd: 'viewer' }))],
    [
      'signed as another kind',
      `${head}.${online.sign(Buffer.from(`response/${head.slice(8)}`)).toString('base64url')}.${dp}.${ds}`,
    ],
  ])('%s', async (_what, text) => expect(await code(text)).toBe('SIGNATURE_INVALID'));
});

test('step 4: another machine is WRONG_MACHINE, also one that differs by its normal form', async () => {
  expect(await code(token(), { machineId: 'machine-0002' })).toBe('WRONG_MACHINE');
  const composed = token(tokenClaims({ mid: digest('b\u00fcro-0001') }));
  expect(await code(composed, { machineId: 'b\u00fcro-0001' })).toBe('VALID');
  expect(await code(composed, { machineId: 'bu\u0308ro-0001' })).toBe('WRONG_MACHINE');
});

describe('step 5: the clock rule', () => {
  test.each([
    ['300 s before the issue', at(-300), 0, 'VALID'],
    ['301 s before the issue', at(-301), 0, 'CLOCK_ROLLED_BACK'],
    ['300 s behind the highest time seen', at(0), 300, 'VALID'],
    ['301 s behind the highest time seen', at(0), 301, 'CLOCK_ROLLED_BACK'],
  ])('%s', async (_what, now, seen, expected) => {
    expect(await code(token(), { ...now, lastSeen: (startSeconds + seen) * 1000 })).toBe(expected);
  });

  test('it stands before the term, and after the delegation', async () => {
    expect(await code(token(), at(-10_000))).toBe('CLOCK_ROLLED_BACK');
    expect(await code(token(), at(-86_701))).toBe('DELEGATION_INVALID');
  });
});

test.each([
  ['its first second', { nbf: startSeconds }, 'VALID'],
  ['before it', { nbf: startSeconds + 1 }, 'TOKEN_EXPIRED'],
  ['its last second', { exp: startSeconds + 1 }, 'VALID'],
  ['its end', { exp: startSeconds }, 'TOKEN_EXPIRED'],
])('step 6, term: %s', async (_what, claims, expected) => {
  expect(await code(token(tokenClaims(claims)))).toBe(expected);
});

describe('step 7, the license', () => {
  test.each([
    ['one second left', { vu: startSeconds + 1 }, 'VALID', 'ACTIVE'],
    ['its end', { vu: startSeconds }, 'EXPIRED', 'EXPIRED'],
    ['in grace', { vu: startSeconds, graceUntil: startSeconds + 1 }, 'GRACE', 'EXPIRED'],
    ['the end of grace', { vu: startSeconds - 9, graceUntil: startSeconds }, 'EXPIRED', 'EXPIRED'],
    [
      'in grace at issue',
      { st: 'EXPIRED', vu: startSeconds - 9, graceUntil: startSeconds + 1 },
      'GRACE',
      'EXPIRED',
    ],
    ['expired at issue', { st: 'EXPIRED', vu: startSeconds + 9 }, 'EXPIRED', 'EXPIRED'],
  ])('%s', async (_what, claims, expected, status) => {
    const access = await judge(token(tokenClaims(claims)));
    expect([access.code, access.status, access.valid]).toEqual([expected, status, expected !== 'EXPIRED']);
  });

  test('grace says until when', async () => {
    const access = await judge(token(tokenClaims({ vu: startSeconds, graceUntil: startSeconds + 60 })));
    expect(access).toMatchObject({ grace: true, graceExpiresAt: '2026-03-01T12:01:00.000Z', allowed: true });
  });
});

test('step 8: a version beyond mxv is VERSION_NOT_ALLOWED, and without a version nothing is asked', async () => {
  const text = token(tokenClaims({ mxv: '2.4' }));
  expect(await judge(text, { appVersion: '2.5.0' })).toMatchObject({
    code: 'VERSION_NOT_ALLOWED',
    versionAllowed: false,
    features: { sso: true },
    offlineUntil: null,
  });
  expect(await judge(text)).toMatchObject({ code: 'VALID', versionAllowed: null });
});

test('HONOR_SYSTEM allows whatever a genuine token refuses, and nothing that is not genuine', async () => {
  const honor = tokenClaims({ mode: 'HONOR_SYSTEM', exp: startSeconds });
  expect(await judge(token(honor))).toMatchObject({
    code: 'TOKEN_EXPIRED',
    valid: false,
    allowed: true,
    enforced: false,
    mode: 'HONOR_SYSTEM',
  });
  expect(await judge(token(honor, { key: newKey() }))).toMatchObject({
    code: 'SIGNATURE_INVALID',
    allowed: false,
  });
});

test('the verifier may be the caller’s, and a platform without one is an error instead of a verdict', async () => {
  expect(await code(token(), { verify: async () => true })).toBe('VALID');
  expect(await code(token(), { verify: async () => false })).toBe('DELEGATION_INVALID');
  const none = new NoEd25519Error('none');
  await expect(judge(token(), { verify: () => Promise.reject(none) })).rejects.toBe(none);
});
