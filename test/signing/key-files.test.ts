import { createPrivateKey } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import * as ed25519 from '#kernel/ed25519.ts';
import { fingerprintFile } from '#signing/keys/fingerprint.ts';
import { encodePrivateKey } from '#signing/keys/key-encoding.ts';
import { publicKeyPath, writeKeyPair } from '#signing/keys/key-file.ts';
import { type KeySources, loadSigningKey, parseKeyReference } from '#signing/keys/key-reference.ts';
import type { Passphrase } from '#signing/keys/passphrase.ts';
import { formatPublicKey, PUBLIC_KEY_FORMATS, parsePublicKeys } from '#signing/keys/public-key-text.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

const seed = Buffer.from('4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb', 'hex');
const { publicKey, keyId } = ed25519.signingKeyOf(seed);
const notes = { comment: 'release key', createdAt: '2026-01-02T03:04:05.000Z' };
const from = (text: string): Passphrase => ({
  value: text,
  tried: `${text === '' ? 'empty ' : ''}passphrase from --passphrase-env RELEASE_PASS`,
});
const never = () => Promise.reject(new Error('nobody may ask for a passphrase here'));

let folder: string;
beforeEach(() => {
  folder = scratchFolder('appctl-keys-');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const at = (name: string) => join(folder, name);
const modeOf = (path: string) => statSync(path).mode & 0o777;
const sources: KeySources = {
  environment: (name) => (name === 'KEY' ? ed25519.privateKeyToPem(seed) : undefined),
  stdin: async () => seed.toString('hex'),
  store: async () => ({ seed, minisignId: null }),
};
const load = (reference: string, ask: () => Promise<Passphrase | null> = never) =>
  loadSigningKey(parseKeyReference(reference), ask, sources);

async function put(name: string, passphrase: Passphrase | null): Promise<string> {
  const privateText = await encodePrivateKey(seed, passphrase, notes);
  await writeKeyPair(at(name), { privateText, publicText: ed25519.publicKeyToPem(publicKey) }, false);
  return at(name);
}

describe('private key files', () => {
  test('without a passphrase: PKCS#8 PEM of mode 0600, the public key beside it', async () => {
    const umask = process.umask(0);
    try {
      const path = await put('editor.key', null);
      expect(readFileSync(path, 'utf8')).toBe(ed25519.privateKeyToPem(seed));
      expect(modeOf(path)).toBe(0o600);
      expect(readFileSync(at('editor.pub'), 'utf8')).toBe(ed25519.publicKeyToPem(publicKey));
      expect((await load(path)).publicKey).toEqual(publicKey);
    } finally {
      process.umask(umask);
    }
  });

  test.each(['correct horse', '', 'pässwörd 🔑'])(
    'the passphrase "%s" opens what it closed',
    async (text) => {
      const path = await put('editor.key', from(text));
      expect(readFileSync(path, 'utf8')).not.toContain(seed.toString('base64'));
      expect(modeOf(path)).toBe(0o600);
      expect((await load(path, async () => from(text))).keyId).toBe(keyId);
      await expect(load(path, async () => from(`${text}x`))).rejects.toMatchObject({
        code: 'UNAUTHORIZED',
        details: { reason: 'WRONG_PASSPHRASE' },
      });
    },
  );

  test('no passphrase and the empty passphrase are told apart', async () => {
    const path = await put('editor.key', from('secret'));
    await expect(load(path, async () => null)).rejects.toMatchObject({
      details: { reason: 'PASSPHRASE_MISSING' },
    });
    await expect(load(path, async () => from(''))).rejects.toThrow(
      /tried: empty passphrase from --passphrase-env RELEASE_PASS/,
    );
  });

  test('every stated value is bound to the ciphertext', async () => {
    const path = await put('editor.key', from('secret'));
    const file = JSON.parse(readFileSync(path, 'utf8'));
    const other = ed25519.signingKeyOf(Buffer.alloc(32, 7)).publicKey.toString('base64');
    const changes = [
      { comment: 'another' },
      { createdAt: '2027-01-01T00:00:00.000Z' },
      { publicKey: other },
      { kdf: { ...file.kdf, passes: 3 } },
      { ciphertext: Buffer.alloc(32).toString('base64') },
    ];
    for (const change of changes) {
      writeFileSync(path, JSON.stringify({ ...file, ...change }));
      await expect(load(path, async () => from('secret'))).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    }
  });

  test('a damaged file, one with unknown fields and one that asks for all memory are no keys', async () => {
    const path = await put('editor.key', from('secret'));
    const file = JSON.parse(readFileSync(path, 'utf8'));
    const texts = [
      '{',
      '{}',
      JSON.stringify({ ...file, extra: 1 }),
      JSON.stringify({ ...file, kdf: { ...file.kdf, memoryKib: 4_000_000 } }),
      JSON.stringify({ ...file, kdf: { ...file.kdf, passes: 1_000_000 } }),
      JSON.stringify({ ...file, ciphertext: 'AAAA' }),
      '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n',
      'not a key',
      '',
    ];
    for (const text of texts) {
      writeFileSync(path, text);
      await expect(load(path, async () => from('secret'))).rejects.toMatchObject({ code: 'INVALID_KEY' });
    }
  });

  test.each([0o640, 0o604, 0o660, 0o777])('mode %o is refused and the path is named', async (mode) => {
    const path = await put('editor.key', null);
    chmodSync(path, mode);
    await expect(load(path)).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
      message: expect.stringContaining(path),
      details: { reason: 'KEY_FILE_EXPOSED' },
    });
  });

  test('a folder, a device and a missing file are refused', async () => {
    for (const path of [folder, '/dev/null', at('missing')]) {
      await expect(load(path)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    }
  });
});

describe('writing', () => {
  test('nothing that exists is replaced without force, be it the public half or a broken link', async () => {
    const path = await put('editor.key', null);
    const before = readFileSync(path, 'utf8');
    await expect(put('editor.key', from('x'))).rejects.toMatchObject({ code: 'CONFLICT', details: { path } });
    expect(readFileSync(path, 'utf8')).toBe(before);
    writeFileSync(at('half.pub'), 'mine');
    await expect(put('half.key', null)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(existsSync(at('half.key'))).toBe(false);
    symlinkSync(at('nowhere'), at('link.key'));
    await expect(put('link.key', null)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(existsSync(at('nowhere'))).toBe(false);
  });

  test('force replaces both files and keeps the mode', async () => {
    const path = await put('editor.key', null);
    chmodSync(path, 0o644);
    await writeKeyPair(path, { privateText: 'new', publicText: 'pub' }, true);
    expect([readFileSync(path, 'utf8'), readFileSync(at('editor.pub'), 'utf8')]).toEqual(['new', 'pub']);
    expect(modeOf(path)).toBe(0o600);
  });

  test('a folder that does not exist is named', async () => {
    await put('editor.key', null);
    for (const name of ['no/such.key', 'editor.key/such.key']) {
      const message = `the folder of ${at(name)} does not exist`;
      await expect(put(name, null)).rejects.toMatchObject({ code: 'VALIDATION_ERROR', message });
    }
    expect(readdirSync(folder).sort()).toEqual(['editor.key', 'editor.pub']);
  });

  test.each([
    ['editor.key', 'editor.pub'],
    ['editor', 'editor.pub'],
    ['a.key.bak', 'a.key.bak.pub'],
  ])('the public half of %s is %s', (name, expected) => {
    expect(publicKeyPath(name)).toBe(expected);
  });
});

describe('references', () => {
  test('a variable, standard input and the store give keys', async () => {
    for (const reference of ['env://KEY', 'stdin:', `store:${keyId}`]) {
      expect((await load(reference)).keyId).toBe(keyId);
    }
  });

  test.each(['env:KEY', 'env://', 'env://A B', 'store:', 'store:XYZ', ''])('"%s" is refused', (reference) => {
    expect(() => parseKeyReference(reference)).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR' }));
  });

  test('a key itself is refused and not repeated', () => {
    const seed = Buffer.alloc(32, 7);
    const pem = '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQ\n-----END PRIVATE KEY-----';
    for (const key of [seed.toString('hex'), seed.toString('base64'), pem]) {
      expect(() => parseKeyReference(key)).toThrow(
        /^(?!.*(0707|BwcH|MC4C)).*cannot be passed on the command line/,
      );
    }
  });

  test('a variable that is not set is named', async () => {
    await expect(load('env://MISSING')).rejects.toThrow(/MISSING/);
  });
});

describe('public keys as text', () => {
  test.each(PUBLIC_KEY_FORMATS)('%s is read back', (format) => {
    expect(parsePublicKeys(formatPublicKey(publicKey, format))).toEqual([publicKey]);
  });

  test('base64 of the DER is read, and the reply of the server with all its keys', () => {
    const der = ed25519.publicKeyToDer(publicKey).toString('base64');
    expect(parsePublicKeys(der)).toEqual([publicKey]);
    const old = ed25519.signingKeyOf(Buffer.alloc(32, 1)).publicKey;
    const reply = {
      success: true,
      public_key: ed25519.publicKeyToPem(publicKey),
      keys: [{ key_id: 'x', status: 'RETIRED', public_key_raw: old.toString('base64') }],
    };
    expect(parsePublicKeys(JSON.stringify(reply))).toEqual([publicKey, old]);
  });

  test('minisign shows our key id as its own', () => {
    const [comment, body] = formatPublicKey(publicKey, 'minisign').split('\n') as [string, string];
    expect(comment).toBe(`untrusted comment: minisign public key ${keyId.toUpperCase()}`);
    const bytes = Buffer.from(body, 'base64');
    expect(bytes.readBigUInt64LE(2).toString(16).padStart(16, '0')).toBe(keyId);
  });

  test.each([
    ['nothing', ''],
    ['words', 'no key at all'],
    ['a short key', publicKey.subarray(1).toString('base64')],
    ['a private key', ed25519.privateKeyToPem(seed)],
    ['a point of small order', Buffer.alloc(32).toString('base64')],
    ['an unrelated JSON document', '{"a":1}'],
    ['broken JSON', '{'],
    ['another algorithm of minisign', `untrusted comment: x\n${Buffer.alloc(42, 1).toString('base64')}`],
  ])('%s is refused', (_what, text) => {
    expect(() => parsePublicKeys(text)).toThrow(expect.objectContaining({ code: 'INVALID_KEY' }));
  });
});

describe('fingerprint', () => {
  test('is the same for every form of a key and asks for no passphrase', async () => {
    const expected = { fingerprint: ed25519.fingerprintOf(publicKey), keyId };
    await put('plain.key', null);
    await put('closed.key', from('secret'));
    for (const name of ['plain.key', 'plain.pub', 'closed.key']) {
      expect(await fingerprintFile(at(name))).toEqual(expected);
    }
  });

  test('an exposed private key is refused, a public one is not', async () => {
    const path = await put('plain.key', null);
    chmodSync(path, 0o644);
    await expect(fingerprintFile(path)).rejects.toMatchObject({ details: { reason: 'KEY_FILE_EXPOSED' } });
    await expect(fingerprintFile(at('missing'))).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    const key = createPrivateKey({ key: ed25519.privateKeyToPem(seed), format: 'pem' });
    const closed = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' } as const;
    writeFileSync(at('closed.pem'), key.export(closed), { mode: 0o600 });
    await expect(fingerprintFile(at('closed.pem'))).rejects.toMatchObject({
      details: { reason: 'KEY_ENCRYPTED', hint: expect.stringContaining('keys import') },
    });
  });
});
