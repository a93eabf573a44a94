// Texts, keys and signatures of the client SDK, held against node:crypto and the server's own.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { publicKeyToDer, publicKeyToPem, verify } from '#kernel/ed25519.ts';
import { versionAllowed as byServer } from '#licensing/licenses/decision/max-version.ts';
import {
  base64,
  base64url,
  fromBase64,
  fromBase64url,
  fromHex,
  hex,
  sha256,
  utf8,
} from '../../src/client/bytes.ts';
import {
  isSigned,
  keyIdOf,
  NoEd25519Error,
  readRootKeys,
  webCryptoVerify,
} from '../../src/client/ed25519.ts';
import { versionAllowed } from '../../src/client/version.ts';
import { always } from '../support/property.ts';
import { newKey, root } from './signer.ts';

const plain = (bytes: Uint8Array | null) => (bytes === null ? null : Buffer.from(bytes).toString('hex'));

describe('texts', () => {
  test('bytes are written and read as Node does', () => {
    always(
      fc.property(fc.uint8Array({ maxLength: 70 }), (bytes) => {
        const buffer = Buffer.from(bytes);
        expect(base64(bytes)).toBe(buffer.toString('base64'));
        expect(base64url(bytes)).toBe(buffer.toString('base64url'));
        expect(hex(bytes)).toBe(buffer.toString('hex'));
        expect(plain(fromBase64(base64(bytes)))).toBe(hex(bytes));
        expect(plain(fromBase64url(base64url(bytes)))).toBe(hex(bytes));
        expect(plain(fromHex(hex(bytes).toUpperCase(), bytes.length))).toBe(hex(bytes));
      }),
    );
  });

  test.each(['AB', 'AB=', 'AR==', 'A B=', 'AA==\n', '-_==', '====', 'é'])('%j is no base64', (text) => {
    expect(fromBase64(text)).toBeNull();
  });

  test.each(['A', 'AR', 'AA==', 'A+', 'A/', 'AA\n', 'é'])('%j is no base64url', (text) => {
    expect(fromBase64url(text)).toBeNull();
  });

  test.each(['0', '0g', '000', ' 0', ''])('%j is not one byte of hexadecimal', (text) => {
    expect(fromHex(text, 1)).toBeNull();
  });
});

describe('keys', () => {
  const der = publicKeyToDer(root.publicKey).toString('base64');
  const raw = root.publicKey.toString('base64');

  test.each([
    ['PEM', publicKeyToPem(root.publicKey)],
    ['PEM of one line', `-----BEGIN PUBLIC KEY-----${der}-----END PUBLIC KEY-----`],
    ['base64 DER', der],
    ['base64 raw', raw],
    ['base64 with blanks', ` ${raw.slice(0, 20)}\n${raw.slice(20)} `],
  ])('a root key is read as %s', async (_form, text) => {
    const keys = readRootKeys([text]);
    expect(plain(await keys.find(root.keyId))).toBe(root.publicKey.toString('hex'));
    expect(await keys.find('0'.repeat(16))).toBeNull();
  });

  test.each([
    ['nothing', ''],
    ['31 bytes', Buffer.alloc(31, 7).toString('base64')],
    ['33 bytes', Buffer.alloc(33, 7).toString('base64')],
    ['another algorithm', Buffer.concat([Buffer.alloc(12, 1), root.publicKey]).toString('base64')],
    ['base64url', root.publicKey.toString('base64url')],
    ['a point of small order', Buffer.from([1, ...new Array(31).fill(0)]).toString('base64')],
    ['small order with the sign set', Buffer.from([1, ...new Array(30).fill(0), 0x80]).toString('base64')],
    [
      'a coordinate beyond the field',
      Buffer.from([0xed, ...new Array(30).fill(0xff), 0x7f]).toString('base64'),
    ],
  ])('a root key that is %s is refused at once', (_what, text) => {
    expect(() => readRootKeys([text])).toThrow(TypeError);
  });

  test('key ids are those of the server', async () => {
    for (const key of [root, newKey(), newKey()]) expect(await keyIdOf(key.publicKey)).toBe(key.keyId);
  });

  test('a signature is judged as the server judges it', async () => {
    const message = utf8('release/abc');
    const signature = root.sign(message);
    expect(await isSigned(webCryptoVerify, root.publicKey, message, signature)).toBe(true);
    const wrong: [Uint8Array, Uint8Array, Uint8Array][] = [
      [newKey().publicKey, message, signature],
      [root.publicKey, utf8('release/abd'), signature],
      [root.publicKey, message, signature.map((byte, place) => (place === 63 ? byte ^ 0x20 : byte))],
      [root.publicKey, message, signature.subarray(1)],
      [root.publicKey.subarray(1), message, signature],
      [Buffer.alloc(32), message, Buffer.alloc(64)],
      [Buffer.alloc(32, 2), message, signature],
    ];
    for (const [key, text, bytes] of wrong) {
      expect(await isSigned(webCryptoVerify, key, text, bytes)).toBe(false);
      expect(verify(key, text, bytes)).toBe(false);
    }
    expect(await isSigned(webCryptoVerify, root.publicKey, message, null)).toBe(false);
  });

  test('the caller may bring the verifier, which is not asked about keys that no signature proves', async () => {
    const seen: number[][] = [];
    const own = async (...parts: Uint8Array[]) => seen.push(parts.map(({ length }) => length)) > 0;
    expect(await isSigned(own, root.publicKey, utf8('abc'), new Uint8Array(64))).toBe(true);
    expect(await isSigned(own, new Uint8Array(32), utf8('abc'), new Uint8Array(64))).toBe(false);
    expect(seen).toEqual([[32, 3, 64]]);
  });

  test('a platform without Ed25519 says so', async () => {
    const { subtle } = crypto;
    const importKey = subtle.importKey;
    subtle.importKey = () => Promise.reject(new DOMException('Unrecognized name', 'NotSupportedError'));
    try {
      const asked = isSigned(webCryptoVerify, root.publicKey, utf8('a'), new Uint8Array(64));
      await expect(asked).rejects.toThrow(NoEd25519Error);
    } finally {
      subtle.importKey = importKey;
    }
  });

  test('SHA-256 is that of the standard', async () => {
    expect(hex(await sha256(utf8('abc')))).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });
});

describe('versions (D83, D84)', () => {
  test.each([
    ['2', '2.99.99', true],
    ['2', '3.0.0', false],
    ['2.4', 'v2.4', true],
    ['2.4', '2.5', false],
    ['2.4.1', '2.4.1.9', true],
    ['2.4.1', '2.4.2', false],
    ['2.4.1', '2.4.1-beta.1', true],
    ['2', 'next', false],
    ['2', '', false],
    [null, '9', null],
    ['2', undefined, null],
  ])('maxVersion %j, version %j: %j', (maxVersion, version, expected) => {
    expect(versionAllowed(maxVersion, version)).toBe(expected);
    expect(byServer(maxVersion, version) ?? null).toBe(expected);
  });

  test('client and server agree on every text', () => {
    const part = fc.stringMatching(/^(0|[1-9]\d{0,16}|0\d|)$/);
    const text = fc.oneof(
      fc.string({ maxLength: 20 }),
      fc.tuple(part, part, part).map((parts) => parts.join('.')),
      fc.tuple(fc.string({ maxLength: 3 }), part, part).map(([head, ...parts]) => head + parts.join('.')),
    );
    const limit = fc.stringMatching(/^(0|[1-9]\d{0,3})(\.(0|[1-9]\d{0,3})){0,2}$/);
    always(
      fc.property(limit, text, (maxVersion, version) => {
        expect(versionAllowed(maxVersion, version)).toBe(byServer(maxVersion, version));
      }),
      { numRuns: 1000 },
    );
  });
});
