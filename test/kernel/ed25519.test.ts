import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  verify as nodeVerify,
} from 'node:crypto';
import { getPublicKeyAsync, Point, signAsync, verifyAsync } from '@noble/ed25519';
import { describe, expect, test } from 'vitest';
import * as ed25519 from '#kernel/ed25519.ts';
import { hasOpenssl, opensslSigns, opensslVerifies } from '../support/openssl.ts';

/** Test 2 of RFC 8032, section 7.1. */
const RFC_SEED = Buffer.from('4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb', 'hex');
const RFC_PUBLIC = Buffer.from('3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c', 'hex');
const RFC_SIGNATURE = Buffer.from(
  '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  'hex',
);

const flip = (bytes: Uint8Array, bit: number): Buffer => {
  const copy = Buffer.from(bytes);
  copy[bit >> 3] = (copy[bit >> 3] as number) ^ (1 << (bit & 7));
  return copy;
};

/** Adds p to y: the same point, written in the form that is not canonical. */
const plusPrime = (point: Uint8Array): Buffer | null => {
  const sign = (point[31] as number) & 0x80;
  const bigEndian = Buffer.from(point).reverse();
  bigEndian[0] = (bigEndian[0] as number) & 0x7f;
  const y = BigInt(`0x${bigEndian.toString('hex')}`) + 2n ** 255n - 19n;
  if (y >= 2n ** 255n) return null;
  const bytes = Buffer.from(y.toString(16).padStart(64, '0'), 'hex').reverse();
  bytes[31] = (bytes[31] as number) | sign;
  return bytes;
};

/** Every point of small order, computed by the other library instead of copied from a list. */
function smallOrderPoints(): Buffer[] {
  const order = Point.CURVE().n;
  const found = new Map<string, Buffer>();
  for (let y = 2; found.size < 8; y++) {
    const bytes = Buffer.alloc(32);
    bytes[0] = y;
    let point: Point;
    try {
      point = Point.fromBytes(bytes, true);
    } catch {
      continue;
    }
    const torsion = point.multiply(order - 1n, false).add(point);
    for (let i = 0, next = torsion; i < 8; i++, next = next.add(torsion)) {
      found.set(next.toHex(), Buffer.from(next.toBytes()));
    }
  }
  return [...found.values()];
}

describe('signing', () => {
  test('gives the signature of RFC 8032', () => {
    const key = ed25519.signingKeyOf(RFC_SEED);
    expect(key.publicKey).toEqual(RFC_PUBLIC);
    expect(key.sign(Buffer.from([0x72]))).toEqual(RFC_SIGNATURE);
    expect(ed25519.verify(RFC_PUBLIC, Buffer.from([0x72]), RFC_SIGNATURE)).toBe(true);
  });

  test('agrees with @noble/ed25519 byte for byte, on every signature and every flipped bit', async () => {
    const seed = ed25519.generateSeed();
    const key = ed25519.signingKeyOf(seed);
    expect(key.publicKey).toEqual(Buffer.from(await getPublicKeyAsync(seed)));
    const digest = createHash('sha256').update('a bundle').digest();
    const signature = key.sign(digest);
    expect(signature).toEqual(Buffer.from(await signAsync(digest, seed)));
    expect(key.sign(digest)).toEqual(signature);
    for (let bit = 0; bit < 512; bit += 7) {
      const bad = flip(signature, bit);
      expect(ed25519.verify(key.publicKey, digest, bad)).toBe(false);
      expect(await verifyAsync(bad, digest, key.publicKey, { zip215: false })).toBe(false);
    }
    for (let bit = 0; bit < 256; bit += 5) {
      expect(ed25519.verify(flip(key.publicKey, bit), digest, signature)).toBe(false);
      expect(ed25519.verify(key.publicKey, flip(digest, bit), signature)).toBe(false);
    }
  });

  test('a wrong length of key or signature is refused', () => {
    const key = ed25519.signingKeyOf(RFC_SEED);
    const message = Buffer.from([0x72]);
    expect(() => ed25519.signingKeyOf(Buffer.alloc(31))).toThrow(ed25519.Ed25519Error);
    expect(() => ed25519.signingKeyOf(Buffer.alloc(64))).toThrow(ed25519.Ed25519Error);
    expect(ed25519.verify(key.publicKey.subarray(1), message, RFC_SIGNATURE)).toBe(false);
    expect(ed25519.verify(key.publicKey, message, RFC_SIGNATURE.subarray(1))).toBe(false);
    expect(ed25519.verify(key.publicKey, message, Buffer.concat([RFC_SIGNATURE, RFC_SIGNATURE]))).toBe(false);
  });
});

describe('public keys from outside', () => {
  test('all eight points of small order are refused, in every encoding', () => {
    const points = smallOrderPoints();
    expect(points).toHaveLength(8);
    const encodings = points
      .flatMap((point) => [point, flip(point, 255), plusPrime(point)])
      .filter((e) => e !== null);
    for (const encoding of encodings) {
      expect(() => ed25519.requirePublicKey(encoding)).toThrow(ed25519.Ed25519Error);
    }
  });

  test('a forgery that lenient verifiers accept under a key of small order is refused', async () => {
    const identity = Buffer.alloc(32);
    identity[0] = 1;
    const forged = Buffer.concat([identity, Buffer.alloc(32)]);
    const message = Buffer.from('anything at all');
    expect(await verifyAsync(forged, message, identity, { zip215: true })).toBe(true);
    expect(await verifyAsync(forged, message, identity, { zip215: false })).toBe(false);
    expect(ed25519.verify(identity, message, forged)).toBe(false);
  });

  test('an encoding that is not canonical is refused', () => {
    const bytes = Buffer.alloc(32, 0xff);
    bytes[31] = 0x7f;
    expect(() => ed25519.requirePublicKey(bytes)).toThrow(/canonical/);
  });

  test('a real key passes', () => {
    expect(ed25519.requirePublicKey(RFC_PUBLIC)).toEqual(RFC_PUBLIC);
  });
});

describe('key id', () => {
  test('is the first 16 hex characters of the SHA-256 over the raw key', () => {
    const hex = createHash('sha256').update(RFC_PUBLIC).digest('hex');
    expect(ed25519.fingerprintOf(RFC_PUBLIC)).toBe(hex);
    expect(ed25519.keyIdOf(RFC_PUBLIC)).toBe(hex.slice(0, 16));
  });
});

describe('PEM', () => {
  test('is what node writes and what node reads', () => {
    const publicPem = ed25519.publicKeyToPem(RFC_PUBLIC);
    expect(publicPem).toHaveLength(113);
    expect(createPublicKey(publicPem).export({ type: 'spki', format: 'pem' })).toBe(publicPem);
    const privatePem = ed25519.privateKeyToPem(RFC_SEED);
    expect(createPrivateKey(privatePem).export({ type: 'pkcs8', format: 'pem' })).toBe(privatePem);
    expect(ed25519.publicKeyFromPem(publicPem)).toEqual(RFC_PUBLIC);
    expect(ed25519.privateKeyFromPem(privatePem)).toEqual(RFC_SEED);
  });

  test('an encrypted PKCS#8 key opens with its passphrase only, the empty one included', () => {
    for (const passphrase of ['secret', '']) {
      const text = createPrivateKey(ed25519.privateKeyToPem(RFC_SEED)).export({
        type: 'pkcs8',
        format: 'pem',
        cipher: 'aes-256-cbc',
        passphrase,
      });
      expect(ed25519.privateKeyFromPem(String(text), passphrase)).toEqual(RFC_SEED);
      expect(() => ed25519.privateKeyFromPem(String(text), 'other')).toThrow(ed25519.Ed25519Error);
      expect(() => ed25519.privateKeyFromPem(String(text))).toThrow(ed25519.Ed25519Error);
    }
  });

  test('other kinds of key, damaged text and two blocks are refused', () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const x25519 = generateKeyPairSync('x25519');
    const pem = ed25519.publicKeyToPem(RFC_PUBLIC);
    const publics = [
      String(rsa.publicKey.export({ type: 'spki', format: 'pem' })),
      String(x25519.publicKey.export({ type: 'spki', format: 'pem' })),
      pem.replace('MCow', 'MCov'),
      pem.replace('-----END', 'A\n-----END'),
      pem + pem,
      '',
      'no key',
    ];
    for (const text of publics) expect(() => ed25519.publicKeyFromPem(text)).toThrow(ed25519.Ed25519Error);
    const privates = [
      String(rsa.privateKey.export({ type: 'pkcs8', format: 'pem' })),
      String(x25519.privateKey.export({ type: 'pkcs8', format: 'pem' })),
      ed25519.privateKeyToPem(RFC_SEED).slice(0, 60),
      pem,
      '',
    ];
    for (const text of privates) expect(() => ed25519.privateKeyFromPem(text)).toThrow(ed25519.Ed25519Error);
  });
});

/** A signature counts as portable when every verifier on this machine takes it. */
const verifiers: [
  string,
  (publicKey: Buffer, message: Buffer, signature: Buffer) => boolean | Promise<boolean>,
][] = [
  ['our own', ed25519.verify],
  ['@noble/ed25519', (key, message, signature) => verifyAsync(signature, message, key, { zip215: false })],
  [
    'node:crypto',
    (key, message, signature) => nodeVerify(null, message, ed25519.publicKeyToPem(key), signature),
  ],
];
if (hasOpenssl) {
  verifiers.push([
    'openssl',
    (key, message, signature) => opensslVerifies(ed25519.publicKeyToPem(key), message, signature),
  ]);
}

describe.each(verifiers)('the verifier %s', (_name, verifies) => {
  const key = ed25519.signingKeyOf(RFC_SEED);
  const digest = createHash('sha256').update('a bundle').digest();
  const signature = key.sign(digest);

  test('takes our signature and no flipped bit of it', async () => {
    expect(await verifies(key.publicKey, digest, signature)).toBe(true);
    expect(await verifies(key.publicKey, digest, flip(signature, 9))).toBe(false);
    expect(await verifies(key.publicKey, digest, flip(signature, 300))).toBe(false);
    expect(await verifies(key.publicKey, flip(digest, 0), signature)).toBe(false);
  });
});

test.runIf(hasOpenssl)('openssl makes the very bytes that we make', () => {
  const digest = createHash('sha256').update('a bundle').digest();
  expect(opensslSigns(ed25519.privateKeyToPem(RFC_SEED), digest)).toEqual(
    ed25519.signingKeyOf(RFC_SEED).sign(digest),
  );
});

describe('strict decoding', () => {
  const digest = Buffer.alloc(32, 0xab);
  test.each([
    ['the right text', digest.toString('base64'), true],
    ['no padding', digest.toString('base64').slice(0, -1), false],
    ['white space', `${digest.toString('base64')}\n`, false],
    ['the url alphabet', Buffer.alloc(32, 0xff).toString('base64url'), false],
    ['spare bits that are not zero', `${digest.toString('base64').slice(0, -2)}t=`, false],
    ['a byte too few', digest.subarray(1).toString('base64'), false],
    ['nothing', '', false],
  ])('base64: %s', (_what, text, good) => {
    if (good) expect(ed25519.decodeBase64(text, 32)).toEqual(digest);
    else expect(() => ed25519.decodeBase64(text, 32)).toThrow(ed25519.Ed25519Error);
  });

  test.each([
    ['lower case', 'ab'.repeat(32), true],
    ['upper case', 'AB'.repeat(32), true],
    ['an odd character', `${'ab'.repeat(31)}ag`, false],
    ['too long', 'ab'.repeat(33), false],
    ['an odd length', 'ab'.repeat(32).slice(1), false],
  ])('hex: %s', (_what, text, good) => {
    if (good) expect(ed25519.decodeHex(text, 32)).toEqual(digest);
    else expect(() => ed25519.decodeHex(text, 32)).toThrow(ed25519.Ed25519Error);
  });
});
