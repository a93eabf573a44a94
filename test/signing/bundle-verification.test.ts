import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { openStatement, StatementInput } from '#signing/releases/statement.ts';
import { bundleFixture, content, flipBase64, key, other, sha256 } from './bundle-fixture.ts';

const { at, bundle, edit, record, sigFile, sign, verify } = bundleFixture();

describe('verifying', () => {
  test('what was signed is valid', async () => {
    await sign();
    const good = { valid: true, sha256: sha256.toString('hex'), keyId: key.keyId };
    expect(await verify()).toEqual(good);
    expect(await verify({ signature: record().signature })).toEqual(good);
    expect(await verify({ publicKeys: [other.publicKey, key.publicKey] })).toEqual(good);
    expect(await verify({ expectedSha256: sha256.toString('hex') })).toEqual(good);
  });

  test('raw bytes, as openssl writes them, are a signature', async () => {
    writeFileSync(at('sig.bin'), key.sign(sha256));
    expect(await verify({ signature: at('sig.bin') })).toMatchObject({ valid: true });
  });

  test('every flipped bit of the bundle is a HASH_MISMATCH, or a BAD_SIGNATURE when the signature came alone', async () => {
    const { signature } = await sign();
    for (let bit = 0; bit < content.length * 8; bit += 13) {
      const changed = Buffer.from(content);
      changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
      writeFileSync(bundle(), changed);
      expect(await verify()).toMatchObject({ valid: false, reason: 'HASH_MISMATCH' });
      expect(await verify({ signature })).toMatchObject({ valid: false, reason: 'BAD_SIGNATURE' });
    }
  });

  test('every flipped bit of the signature is a BAD_SIGNATURE', async () => {
    const { signature } = await sign();
    for (let bit = 0; bit < 512; bit += 11) {
      edit({ signature: flipBase64(signature, bit) });
      expect(await verify()).toMatchObject({ valid: false, reason: 'BAD_SIGNATURE' });
    }
  });

  test('every flipped bit of the key is a WRONG_KEY', async () => {
    await sign();
    for (let bit = 0; bit < 256; bit += 11) {
      const publicKey = Buffer.from(flipBase64(key.publicKey.toString('base64'), bit), 'base64');
      expect(await verify({ publicKeys: [publicKey] })).toMatchObject({ valid: false, reason: 'WRONG_KEY' });
    }
    expect(await verify({ publicKeys: [other.publicKey] })).toMatchObject({
      reason: 'WRONG_KEY',
      keyId: other.keyId,
    });
    expect(await verify({ publicKeys: [] })).toMatchObject({ reason: 'WRONG_KEY', keyId: null });
  });

  test('a signature over the hex text or the raw bytes is refused', async () => {
    for (const message of [Buffer.from(sha256.toString('hex')), content]) {
      const signature = key.sign(message).toString('base64');
      expect(await verify({ signature })).toMatchObject({ valid: false, reason: 'BAD_SIGNATURE' });
      await sign();
      edit({ signature });
      expect(await verify()).toMatchObject({ valid: false, reason: 'BAD_SIGNATURE' });
    }
  });

  test('no signature is NO_SIGNATURE, another digest than expected is HASH_MISMATCH', async () => {
    expect(await verify()).toEqual({
      valid: false,
      reason: 'NO_SIGNATURE',
      sha256: sha256.toString('hex'),
      keyId: key.keyId,
    });
    expect(await verify({ signature: at('missing.sig') })).toMatchObject({
      reason: 'NO_SIGNATURE',
    });
    await sign();
    expect(await verify({ expectedSha256: 'ab'.repeat(32) })).toMatchObject({ reason: 'HASH_MISMATCH' });
  });

  test.each([
    ['no JSON', () => writeFileSync(sigFile(), '{"signature":')],
    ['no signature in it', () => edit({ signature: undefined })],
    ['a short signature', () => edit({ signature: 'AAAA' })],
    ['another public key than its key id', () => edit({ publicKey: other.publicKey.toString('base64') })],
    ['another algorithm', () => edit({ algorithm: 'ed25519' })],
    ['a statement without a signature', () => edit({ statement: 'release/e30' })],
  ])('a signature file with %s is a BAD_SIGNATURE', async (_what, damage) => {
    await sign();
    damage();
    expect(await verify()).toMatchObject({ valid: false, reason: 'BAD_SIGNATURE' });
  });

  test('a claimed size or key that does not fit is told by its reason', async () => {
    await sign();
    edit({ size: 1 });
    expect(await verify()).toMatchObject({ reason: 'HASH_MISMATCH' });
    edit({ size: content.length, keyId: other.keyId });
    expect(await verify()).toMatchObject({ reason: 'WRONG_KEY' });
  });
});

describe('the release statement', () => {
  const statement = StatementInput.parse({ product: 'editor', version: '2.1.0' });

  test('binds bundle(), product, version and channel, and is signed over its text', async () => {
    const signed = await sign({ statement });
    expect(openStatement(signed.statement ?? '', signed.statementSignature ?? '', key.publicKey)).toEqual({
      v: 1,
      product: 'editor',
      version: '2.1.0',
      channel: 'stable',
      platform: '',
      arch: '',
      isCritical: false,
      requiresMigration: false,
      minFromVersion: null,
      sha256: sha256.toString('hex'),
      size: content.length,
      sequence: 1767323045,
      kid: key.keyId,
      issuedAt: '2026-01-02T03:04:05.000Z',
      expiresAt: '2027-02-06T03:04:05.000Z',
    });
    expect(await verify()).toMatchObject({ valid: true });
  });

  test('names platform and processor as the release does, whatever alias was given', () => {
    const aliases = { product: 'editor', version: '2.1.0', platform: 'macos', arch: 'x86_64' };
    expect(StatementInput.parse(aliases)).toMatchObject({ platform: 'darwin', arch: 'x64' });
  });

  test('does not open under another key, with another signature or with other text', async () => {
    const { statement: text = '', statementSignature: signature = '' } = await sign({ statement });
    const forged = `release/${Buffer.from('{"v":1}').toString('base64url')}`;
    expect(openStatement(text, signature, other.publicKey)).toBeNull();
    expect(openStatement(text, flipBase64(signature, 3), key.publicKey)).toBeNull();
    expect(openStatement(`${text}A`, signature, key.publicKey)).toBeNull();
    expect(openStatement(text.replace('release/', 'license/'), signature, key.publicKey)).toBeNull();
    expect(openStatement(forged, key.sign(Buffer.from(forged)).toString('base64'), key.publicKey)).toBeNull();
  });

  test('of another bundle makes the signature file a BAD_SIGNATURE', async () => {
    const elsewhere = at('other.zip');
    writeFileSync(elsewhere, 'other bytes');
    const foreign = await sign({ statement }, elsewhere);
    await sign();
    edit({ statement: foreign.statement, statementSignature: foreign.statementSignature });
    expect(await verify()).toMatchObject({ valid: false, reason: 'BAD_SIGNATURE' });
  });

  test.each([
    { product: 'Editor' },
    { version: 'v2.1.0' },
    { version: '2.1' },
    { channel: 'daily' },
    { platform: 'Mac OS' },
    { arch: '__proto__' },
    { sequence: -1 },
    { statementDays: 0 },
  ])('refuses %o', (change) => {
    expect(StatementInput.safeParse({ product: 'editor', version: '2.1.0', ...change }).success).toBe(false);
  });
});
