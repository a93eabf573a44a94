// The text form of a delegation: what is signed, and what is believed (licensing 6.1).
import { describe, expect, it } from 'vitest';
import { generateSeed, publicKeyToPem, signingKeyOf } from '#kernel/ed25519.ts';
import {
  compactDelegation,
  openDelegation,
  readDelegation,
  signDelegation,
} from '#signing/keys/delegation.ts';
import { claimsIn, delegatedKey, signedBy } from '../support/offline-token.ts';
import { hasOpenssl, opensslVerifies } from '../support/openssl.ts';

const root = signingKeyOf(Buffer.alloc(32, 1));
const online = signingKeyOf(Buffer.alloc(32, 2));
const now = '2026-03-01T12:00:00.999Z';
const seconds = Date.parse('2026-03-01T12:00:00Z') / 1000;
const wanted = {
  product: 'editor',
  publicKey: online.publicKey,
  uses: ['response', 'license'] as const,
  days: 400,
};
const text = signDelegation(wanted, root, now);
const payload = text.slice('delegation/'.length).split('.')[0] as string;
const signature = Buffer.from(text.split('.')[1] as string, 'base64url');

/** A delegation with other claims, well signed. */
const forged = (claims: unknown, by = root) => {
  const message = `delegation/${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
  return `${message}.${by.sign(Buffer.from(message)).toString('base64url')}`;
};

describe('signDelegation', () => {
  it('writes the claims of the table, valid from five minutes ago, 400 days at most', () => {
    expect(claimsIn(payload)).toEqual({
      v: 1,
      prd: 'editor',
      root: root.keyId,
      kid: online.keyId,
      pub: online.publicKey.toString('base64url'),
      use: ['license', 'response'],
      nbf: seconds - 300,
      exp: seconds - 300 + 34_560_000,
    });
  });

  it('is signed over ASCII `delegation/` and the payload, which node:crypto and openssl confirm', () => {
    expect(signedBy(root.publicKey, `delegation/${payload}`, signature)).toBe(true);
    if (!hasOpenssl) return;
    const pem = publicKeyToPem(root.publicKey);
    expect(opensslVerifies(pem, Buffer.from(`delegation/${payload}`), signature)).toBe(true);
    expect(opensslVerifies(pem, Buffer.from(payload), signature)).toBe(false);
  });

  it('serves an independent client', () => {
    const client = { rootKeys: [root.publicKey], product: 'editor', now: seconds };
    expect(delegatedKey(compactDelegation(text), 'license', client)).toEqual(online.publicKey);
    expect(delegatedKey(compactDelegation(text), 'timestamp', client)).toBeNull();
  });

  it('refuses a weak key', () => {
    expect(() => signDelegation({ ...wanted, publicKey: Buffer.alloc(32) }, root, now)).toThrow(
      'small order',
    );
  });
});

describe('openDelegation', () => {
  it('gives the claims to the right root key, and nothing to another', () => {
    expect(openDelegation(text, root.publicKey)).toEqual(readDelegation(text));
    expect(openDelegation(text, online.publicKey)).toBeNull();
    expect(openDelegation(text, signingKeyOf(generateSeed()).publicKey)).toBeNull();
  });

  it.each([
    ['an empty text', ''],
    ['no kind', text.slice('delegation/'.length)],
    ['another kind', text.replace('delegation/', 'release/')],
    ['an upper-case kind', text.replace('delegation', 'Delegation')],
    ['no signature', text.split('.')[0] as string],
    ['a third part', `${text}.AA`],
    ['a short signature', text.slice(0, -1)],
    ['a line feed', `${text}\n`],
    ['a padded payload', text.replace('.', '=.')],
    ['a payload that is no JSON', 'delegation/AAAA.'.concat(signature.toString('base64url'))],
    ['another payload', text.replace(payload, Buffer.from('{"v":1}').toString('base64url'))],
    ['a changed signature', text.replace(/.{2}$/, 'AA')],
    ['__proto__', forged(JSON.parse('{"__proto__":{"v":1}}'))],
    ['an array', forged([])],
    ['null', forged(null)],
  ])('believes nothing of %s', (_name, given) => {
    expect(openDelegation(given, root.publicKey)).toBeNull();
  });

  const claims = claimsIn(payload);
  it.each([
    ['version 2', { v: 2 }],
    ['no product', { prd: undefined }],
    ['an unknown use', { use: ['license', 'bundle'] }],
    ['no use', { use: [] }],
    ['a key id that is not that of the key', { kid: root.keyId }],
    ['a public key of 31 bytes', { pub: Buffer.alloc(31).toString('base64url') }],
    ['a public key of small order', { pub: Buffer.alloc(32).toString('base64url') }],
    ['times in text', { exp: '1' }],
    ['a fraction of a second', { nbf: 0.5 }],
  ])('believes nothing of claims with %s, though they are well signed', (_name, change) => {
    expect(openDelegation(forged({ ...claims, ...change }), root.publicKey)).toBeNull();
    expect(openDelegation(forged({ ...claims, more: 1 }), root.publicKey)).toEqual(claims);
  });

  it('a signature of another kind of message does not serve: every kind is part of what is signed', () => {
    const message = `license/${payload}`;
    const swapped = `delegation/${payload}.${root.sign(Buffer.from(message)).toString('base64url')}`;
    expect(openDelegation(swapped, root.publicKey)).toBeNull();
  });
});
