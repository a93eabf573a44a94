import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, test } from 'vitest';
import * as ed25519 from '#kernel/ed25519.ts';
import { hasOpenssl, opensslVerifies } from '../support/openssl.ts';
import { bundleFixture, content, key, other, sha256 } from './bundle-fixture.ts';

const { at, bundle, folder, record, sigFile, sign, verify } = bundleFixture();

describe('signing', () => {
  test('is pure Ed25519 over the 32 digest bytes, in the documented record', async () => {
    const signed = await sign({ comment: 'by the release team' });
    expect(signed).toEqual({
      file: 'editor-2.1.0.zip',
      size: content.length,
      sha256: sha256.toString('hex'),
      signature: key.sign(sha256).toString('base64'),
      algorithm: 'ed25519-sha256',
      keyId: key.keyId,
      publicKey: key.publicKey.toString('base64'),
      signedAt: '2026-01-02T03:04:05.000Z',
      comment: 'by the release team',
      signatureFile: sigFile(),
    });
    const { signatureFile, ...stored } = signed;
    expect(record()).toEqual(stored);
    expect(signatureFile).toBe(sigFile());
    expect(ed25519.verify(key.publicKey, sha256, Buffer.from(signed.signature, 'base64'))).toBe(true);
  });

  test.runIf(hasOpenssl)('openssl verifies it against the digest', async () => {
    const signature = Buffer.from((await sign()).signature, 'base64');
    const pem = ed25519.publicKeyToPem(key.publicKey);
    expect(opensslVerifies(pem, sha256, signature)).toBe(true);
    expect(opensslVerifies(pem, content, signature)).toBe(false);
  });

  test('leaves the same bytes on every run', async () => {
    await sign();
    const first = readFileSync(sigFile());
    const again = await sign({ now: '2026-02-02T00:00:00.000Z' });
    expect(readFileSync(sigFile())).toEqual(first);
    expect(again.signedAt).toBe('2026-01-02T03:04:05.000Z');
  });

  test('rewrites the record of the same digest and key, and no other without force', async () => {
    await sign();
    expect((await sign({ comment: 'new words' })).comment).toBe('new words');
    expect(record().comment).toBe('new words');
    await expect(sign({ key: other })).rejects.toMatchObject({
      code: 'CONFLICT',
      details: { reason: 'SIGNATURE_EXISTS' },
    });
    expect(record().keyId).toBe(key.keyId);
    expect((await sign({ key: other, force: true })).keyId).toBe(other.keyId);
    writeFileSync(sigFile(), 'something of mine');
    await expect(sign()).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(readdirSync(folder()).sort()).toEqual(['editor-2.1.0.zip', 'editor-2.1.0.zip.sig.json']);
  });

  test('the format base64 writes the signature alone', async () => {
    const signed = await sign({ format: 'base64' });
    expect(signed.signatureFile).toBe(`${bundle()}.sig`);
    expect(readFileSync(`${bundle()}.sig`, 'utf8')).toBe(`${signed.signature}\n`);
    await sign({ format: 'base64' });
    await expect(sign({ format: 'base64', key: other })).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await verify({ signature: `${bundle()}.sig` })).toMatchObject({ valid: true });
  });

  test('an expected digest is demanded before anything is written', async () => {
    const wrong = 'ab'.repeat(32);
    await expect(sign({ expectedSha256: wrong })).rejects.toMatchObject({ code: 'VERIFICATION_FAILED' });
    await expect(sign({ expectedSha256: 'short' })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(readdirSync(folder())).toEqual(['editor-2.1.0.zip']);
    await sign({ expectedSha256: sha256.toString('hex').toUpperCase() });
  });

  test('a dry run writes nothing and still refuses what signing would refuse', async () => {
    expect((await sign({ dryRun: true })).keyId).toBe(key.keyId);
    expect(readdirSync(folder())).toEqual(['editor-2.1.0.zip']);
    await sign();
    await expect(sign({ dryRun: true, key: other })).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  test('folders, devices, pipes, links and missing files are refused', async () => {
    execFileSync('mkfifo', [at('pipe')]);
    for (const path of [folder(), '/dev/null', at('pipe'), at('missing')]) {
      await expect(sign({}, path)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    }
    symlinkSync(bundle(), at('link.zip'));
    for (const format of ['appctl', 'sparkle'] as const) {
      await expect(sign({ format }, at('link.zip'))).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
        message: `${at('link.zip')} is a symbolic link, not a regular file`,
      });
    }
    expect(readdirSync(folder()).sort()).toEqual(['editor-2.1.0.zip', 'link.zip', 'pipe']);
  });

  test('a file that grows, or is replaced, while it is read is refused', async () => {
    const changed = { code: 'VERIFICATION_FAILED', details: { reason: 'FILE_CHANGED' } };
    const twin = at('twin.zip');
    for (const path of [bundle(), twin]) writeFileSync(path, Buffer.alloc(48 * 1024 * 1024));
    await expect(whileChanging(sign(), () => appendFileSync(bundle(), 'x'))).rejects.toMatchObject(changed);
    // Replaced in one step each time: there is never a moment without a file of that name.
    linkSync(bundle(), at('aside'));
    let turn = 0;
    const exchange = () => {
      linkSync(turn++ % 2 === 0 ? twin : at('aside'), at('next'));
      renameSync(at('next'), bundle());
    };
    await expect(whileChanging(sign(), exchange)).rejects.toMatchObject(changed);
    expect(readdirSync(folder()).sort()).toEqual(['aside', 'editor-2.1.0.zip', 'twin.zip']);
  });

  test('an empty file has a signature too', async () => {
    writeFileSync(bundle(), '');
    expect((await sign()).size).toBe(0);
    expect(await verify()).toMatchObject({ valid: true });
  });
});

/** Changes something in every turn of the event loop until the work ends; hashing 48 MiB takes at least 48 turns. */
async function whileChanging<T>(work: Promise<T>, change: () => void): Promise<T> {
  let running = true;
  const ended = work.finally(() => {
    running = false;
  });
  ended.catch(() => undefined);
  while (running) {
    change();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return ended;
}
