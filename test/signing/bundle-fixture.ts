// One bundle in a folder of its own, with two keys: what the tests of signing and verifying share.
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { signingKeyOf } from '#kernel/ed25519.ts';
import { type SignOptions, signBundle } from '#signing/releases/bundle-signature.ts';
import { type VerifyOptions, verifyBundle } from '#signing/releases/bundle-verification.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

export const key = signingKeyOf(Buffer.alloc(32, 42));
export const other = signingKeyOf(Buffer.alloc(32, 43));
export const content = Buffer.from('the bytes of an editor, version 2.1.0');
export const sha256 = createHash('sha256').update(content).digest();

/** Makes a fresh bundle for each test of the file that calls it. */
export function bundleFixture() {
  let folder = '';
  const at = (name: string) => join(folder, name);
  const bundle = () => at('editor-2.1.0.zip');
  const sigFile = () => `${bundle()}.sig.json`;
  const record = () => JSON.parse(readFileSync(sigFile(), 'utf8'));
  beforeEach(() => {
    folder = scratchFolder('appctl-bundles-');
    writeFileSync(bundle(), content);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  return {
    at,
    bundle,
    sigFile,
    record,
    folder: () => folder,
    /** Signs with the first key; `change` replaces options. */
    sign: (change: Partial<SignOptions> = {}, path = bundle()) =>
      signBundle(path, { ...signOptions, ...change }),
    /** Verifies with the first key. */
    verify: (change: Partial<VerifyOptions> = {}) =>
      verifyBundle(bundle(), {
        publicKeys: [key.publicKey],
        signature: null,
        expectedSha256: null,
        ...change,
      }),
    /** Changes fields of the signature file. */
    edit: (change: Record<string, unknown>) =>
      writeFileSync(sigFile(), JSON.stringify({ ...record(), ...change })),
  };
}

const signOptions: SignOptions = {
  key,
  now: '2026-01-02T03:04:05.000Z',
  format: 'appctl',
  comment: null,
  expectedSha256: null,
  statement: null,
  outDir: null,
  force: false,
  dryRun: false,
};

/** Base64 text with one bit of its bytes turned over. */
export function flipBase64(text: string, bit: number): string {
  const bytes = Buffer.from(text, 'base64');
  bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7));
  return bytes.toString('base64');
}
