// Keys and signatures of minisign (cli 3.4), judged by another implementation of it.
import { createHash, randomBytes, scryptSync } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PublicKey, Signature } from '@threema/wasm-minisign-verify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as ed25519 from '#kernel/ed25519.ts';
import { decodeForeignKey, decodePrivateKey, encodePrivateKey } from '#signing/keys/key-encoding.ts';
import { isMinisignSecret, statedMinisignId } from '#signing/keys/minisign-key.ts';
import { formatPrivateKey, formatPublicKey, parsePublicKeys } from '#signing/keys/public-key-text.ts';
import { signBundle } from '#signing/releases/bundle-signature.ts';
import { verifyBundle } from '#signing/releases/bundle-verification.ts';
import { signMinisign, tauriText, verifyMinisign } from '#signing/releases/minisign-signature.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

/** Made by `minisign -G -W` 0.11. */
const made = {
  secret: `untrusted comment: minisign encrypted secret key
RWQAAEIyAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAARaKBYIS5wbCd57tnhEyqyZ9wnwjMJEYeXcuoJgi/jb1BFmnbe7QC4hjuh+ih22KwhXGd9WqlBkd4WeJzHMt7PfJC4v9weCS3AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=
`,
  public: `untrusted comment: minisign public key B0C1B9846081A245
RWRFooFghLnBsBjuh+ih22KwhXGd9WqlBkd4WeJzHMt7PfJC4v9weCS3
`,
  id: 'B0C1B9846081A245',
};
const never = () => Promise.reject(new Error('nobody may ask for a passphrase here'));
const said = (value: string) => async () => ({ value, tried: `passphrase ${value.length}` });
const notes = { comment: null, createdAt: '2026-01-02T03:04:05.000Z' };
const seed = Buffer.alloc(32, 9);
const own = ed25519.signingKeyOf(seed);
const bundle = Buffer.from('a bundle of a release');
const blake2b = createHash('blake2b512').update(bundle).digest();
const sha256 = createHash('sha256').update(bundle).digest();

const accepts = (publicKey: string, signature: string, bytes = bundle): boolean => {
  try {
    return PublicKey.decode(publicKey).verify(bytes, Signature.decode(signature));
  } catch {
    return false;
  }
};

/** Encrypts a key as minisign does, at a cost that a test can pay: libsodium makes N 1024, p 1 of these limits. */
function encrypted(plain: string, password: string, limits = { ops: 32_768n, mem: 16_777_216n }): string {
  const bytes = Buffer.from(plain.split('\n')[1] ?? '', 'base64');
  const salt = randomBytes(32);
  bytes.write('Sc', 2, 'latin1');
  salt.copy(bytes, 6);
  bytes.writeBigUInt64LE(limits.ops, 38);
  bytes.writeBigUInt64LE(limits.mem, 46);
  const pad = scryptSync(password, salt, 104, { N: 1024, r: 8, p: 1 });
  for (let place = 0; place < 104; place++) bytes[54 + place]! ^= pad[place]!;
  return `untrusted comment: minisign encrypted secret key\n${bytes.toString('base64')}\n`;
}

let folder: string;
const at = (name: string) => join(folder, name);
beforeAll(() => {
  folder = scratchFolder('appctl-minisign-');
  mkdirSync(at('out'));
  writeFileSync(at('b.zip'), bundle);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a secret key of minisign', () => {
  test('without a password opens to the key of its public half, with the id that minisign gave', async () => {
    const key = await decodePrivateKey(made.secret, never);
    expect(key).toMatchObject({ encrypted: false, minisignId: made.id });
    const { publicKey } = ed25519.signingKeyOf(key.seed);
    expect(formatPublicKey(publicKey, 'minisign', key.minisignId)).toBe(made.public);
    expect(parsePublicKeys(made.public)).toEqual([publicKey]);
    expect(statedMinisignId(made.public)).toBe(made.id);
  });

  test('is written as minisign writes it', async () => {
    const { seed, minisignId } = await decodePrivateKey(made.secret, never);
    const lines = formatPrivateKey(seed, 'minisign', minisignId).split('\n');
    expect(lines[1]).toBe(made.secret.split('\n')[1]);
  });

  test('with a password opens by it alone, also in the wrapping of Tauri', async () => {
    const text = encrypted(made.secret, 'pässwörd');
    expect(isMinisignSecret(text)).toBe(true);
    const wrapped = Buffer.from(text).toString('base64');
    for (const form of [text, wrapped, text.replaceAll('\n', '\r\n')]) {
      expect(await decodeForeignKey(form, said('pässwörd'))).toMatchObject({
        encrypted: true,
        minisignId: made.id,
        seed: (await decodePrivateKey(made.secret, never)).seed,
      });
    }
    await expect(decodeForeignKey(text, said('passwort'))).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
      details: { reason: 'WRONG_PASSPHRASE', tried: 'passphrase 8' },
    });
    await expect(decodeForeignKey(text, async () => null)).rejects.toMatchObject({
      details: { reason: 'PASSPHRASE_MISSING' },
    });
  });

  test('with limits that give many passes over little memory is opened like any other', async () => {
    const text = encrypted(made.secret, 'x', { ops: 32_768n, mem: 0n });
    await expect(decodeForeignKey(text, said('x'))).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  });

  test('with a password is imported and never signed with: opening it takes 1 GiB', async () => {
    const text = encrypted(made.secret, 'x');
    await expect(decodePrivateKey(text, never)).rejects.toMatchObject({
      code: 'INVALID_KEY',
      details: { hint: expect.stringContaining('keys import') },
    });
  });

  test('that asks for more than minisign does, or is damaged, is no key', async () => {
    const line = made.secret.split('\n')[1] as string;
    const changed = (place: number, text: string) => {
      const bytes = Buffer.from(line, 'base64');
      bytes.write(text, place, 'latin1');
      return `untrusted comment: x\n${bytes.toString('base64')}\n`;
    };
    const bad = [
      encrypted(made.secret, 'x', { ops: 2n ** 25n + 1n, mem: 2n ** 30n }),
      encrypted(made.secret, 'x', { ops: 2n ** 25n, mem: 2n ** 30n + 1n }),
      encrypted(made.secret, 'x', { ops: 2n ** 63n, mem: 2n ** 63n }),
      changed(0, 'RS'),
      changed(2, 'XX'),
      changed(4, 'SH'),
      changed(62, 'another seed'),
      changed(94, 'another public key'),
      `untrusted comment: x\n${line.slice(0, -8)}\n`,
      'untrusted comment: x\n',
      'untrusted comment:',
    ];
    for (const text of bad) {
      await expect(decodeForeignKey(text, said('x'))).rejects.toMatchObject({ code: 'INVALID_KEY' });
    }
  });
});

describe('the id of an imported key', () => {
  test.each([null, { value: 'secret', tried: '' }])(
    'is kept by our own key file (%o)',
    async (passphrase) => {
      const { seed, minisignId } = await decodePrivateKey(made.secret, never);
      const text = await encodePrivateKey(seed, passphrase, { ...notes, minisignId });
      expect(await decodePrivateKey(text, async () => passphrase)).toMatchObject({ seed, minisignId });
      if (passphrase === null) return;
      const other = text.replace(made.id, 'B0C1B9846081A246');
      await expect(decodePrivateKey(other, async () => passphrase)).rejects.toMatchObject({
        code: 'UNAUTHORIZED',
      });
    },
  );

  test('OpenSSL reads a PEM that states it', async () => {
    const pem = await encodePrivateKey(seed, null, { ...notes, minisignId: made.id });
    expect(pem).toMatch(/^minisign key id: B0C1B9846081A245\n-----BEGIN PRIVATE KEY-----\n/);
    expect(ed25519.privateKeyFromPem(pem)).toEqual(seed);
  });
});

describe('a minisign signature', () => {
  const signing = {
    now: notes.createdAt,
    comment: null,
    expectedSha256: null,
    statement: null,
    dryRun: false,
  };
  const text = signMinisign({ file: 'b.zip', blake2b, sha256, comment: null }, own);
  const publicText = formatPublicKey(own.publicKey, 'minisign');

  test('is taken by another implementation, and names the file and its digest', () => {
    expect(accepts(publicText, text)).toBe(true);
    expect(text.split('\n')[2]).toBe(`trusted comment: file:b.zip\tsha256:${sha256.toString('hex')}`);
    expect(accepts(publicText, text, Buffer.from('another bundle'))).toBe(false);
    expect(accepts(made.public, text)).toBe(false);
  });

  test('by an imported key is taken by the clients that know the key from minisign', async () => {
    const { seed, minisignId } = await decodePrivateKey(made.secret, never);
    const key = { ...ed25519.signingKeyOf(seed), minisignId };
    expect(accepts(made.public, signMinisign({ file: 'b.zip', blake2b, sha256, comment: null }, key))).toBe(
      true,
    );
  });

  test('stays four lines, whatever the file is called and the comment says', () => {
    const odd = signMinisign(
      { file: 'a\nb\u0000\r.zip', blake2b, sha256, comment: 'one\ntrusted comment: two\u2028é' },
      own,
    );
    expect(odd.split('\n')).toHaveLength(5);
    expect(accepts(publicText, odd)).toBe(true);
    expect(verifyMinisign(odd, own.publicKey, blake2b)).toBe(true);
  });

  test('is refused with any line changed, in the older form and as anything else', () => {
    const lines = text.split('\n');
    const withLine = (place: number, line: string) => lines.with(place, line).join('\n');
    const flip = (line: string) => line.replace(/.(?=.{20}$)/, (letter) => (letter === 'A' ? 'B' : 'A'));
    const old = Buffer.from(lines[1] as string, 'base64');
    old.write('Ed', 'latin1');
    for (const bad of [
      withLine(1, flip(lines[1] as string)),
      withLine(1, old.toString('base64')),
      withLine(2, `${lines[2]}x`),
      withLine(2, 'file:b.zip'),
      withLine(3, flip(lines[3] as string)),
      lines.slice(0, 2).join('\n'),
      '',
      'untrusted comment: x',
    ]) {
      expect(verifyMinisign(bad, own.publicKey, blake2b)).toBe(false);
    }
    expect(verifyMinisign(text, own.publicKey, blake2b)).toBe(true);
    expect(verifyMinisign(withLine(0, 'untrusted comment: anything'), own.publicKey, blake2b)).toBe(true);
  });

  test('of --format minisign is the file alone, the same bytes every time, and verifies by --sig', async () => {
    const options = { ...signing, key: own, format: 'minisign' as const, outDir: at('out'), force: false };
    const first = await signBundle(at('b.zip'), options);
    const written = readFileSync(at('out/b.zip.minisig'), 'utf8');
    expect(first).toMatchObject({ signatureFile: at('out/b.zip.minisig'), sha256: sha256.toString('hex') });
    expect(tauriText(first.extra?.tauri ?? '')).toBe(written);
    expect(accepts(publicText, written)).toBe(true);
    await signBundle(at('b.zip'), { ...options, now: '2027-01-01T00:00:00.000Z' });
    expect(readFileSync(at('out/b.zip.minisig'), 'utf8')).toBe(written);
    const another = { ...options, key: ed25519.signingKeyOf(Buffer.alloc(32, 8)) };
    await expect(signBundle(at('b.zip'), another)).rejects.toMatchObject({ code: 'CONFLICT' });
    const check = { signature: at('out/b.zip.minisig'), expectedSha256: null };
    const stranger = another.key.publicKey;
    expect(await verifyBundle(at('b.zip'), { ...check, publicKeys: [stranger, own.publicKey] })).toEqual({
      valid: true,
      sha256: sha256.toString('hex'),
      keyId: own.keyId,
    });
    const verdicts = [
      await verifyBundle(at('b.zip'), { ...check, publicKeys: [stranger] }),
      await verifyBundle(at('b.zip'), { ...check, publicKeys: [] }),
      await verifyBundle(at('b.zip'), {
        ...check,
        publicKeys: [own.publicKey],
        expectedSha256: 'ab'.repeat(32),
      }),
    ];
    expect(verdicts.map(({ valid, reason }) => [valid, reason])).toEqual([
      [false, 'BAD_SIGNATURE'],
      [false, 'WRONG_KEY'],
      [false, 'HASH_MISMATCH'],
    ]);
  });

  test('of --tauri stands in FILE.sig.json and is checked with it', async () => {
    const options = {
      ...signing,
      key: own,
      format: 'appctl' as const,
      tauri: true,
      outDir: null,
      force: true,
    };
    const { extra, signatureFile } = await signBundle(at('b.zip'), options);
    expect(accepts(publicText, tauriText(extra?.tauri ?? ''))).toBe(true);
    const check = { signature: null, expectedSha256: null, publicKeys: [own.publicKey] };
    expect(await verifyBundle(at('b.zip'), check)).toMatchObject({ valid: true });
    const record = JSON.parse(readFileSync(signatureFile, 'utf8'));
    record.extra.tauri = Buffer.from(text.replace('b.zip', 'c.zip')).toString('base64');
    writeFileSync(signatureFile, JSON.stringify(record));
    expect(await verifyBundle(at('b.zip'), check)).toMatchObject({ valid: false, reason: 'BAD_SIGNATURE' });
  });
});
