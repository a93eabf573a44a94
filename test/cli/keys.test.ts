import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import * as ed25519 from '#kernel/ed25519.ts';
import { KeysFingerprintOutput } from '../../src/cli/keys/schemas.ts';
import { keysCommands } from '../../src/cli/keys/spec.ts';
import { releaseCommands } from '../../src/cli/release/spec.ts';
import { runInside } from '../support/cli-inside.ts';
import type { CliOptions } from '../support/cli-process.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

const seed = Buffer.alloc(32, 9);
const { publicKey, keyId } = ed25519.signingKeyOf(seed);

let folder: string;
const at = (name: string) => join(folder, name);
const run = (line: string, options: CliOptions = {}) =>
  runInside(line.split(' '), { cwd: folder, ...options });
beforeEach(() => {
  folder = scratchFolder('appctl-keys-');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the process list', () => {
  test('no option of keys and release takes a secret as its value', () => {
    const withValue = [...keysCommands, ...releaseCommands].flatMap(({ options = [] }) =>
      options.filter((option) => option.value !== undefined).map((option) => option.name),
    );
    const secretForms = withValue.filter((name) => /pass|secret|seed|private/.test(name));
    expect(new Set(secretForms)).toEqual(new Set(['passphrase-file', 'passphrase-env']));
  });
});

describe('keys fingerprint', () => {
  test('is the same for the private and the public file', async () => {
    writeFileSync(at('a.key'), ed25519.privateKeyToPem(seed), { mode: 0o600 });
    writeFileSync(at('a.pub'), ed25519.publicKeyToPem(publicKey));
    for (const name of ['a.key', 'a.pub']) {
      const { code, stdout } = await run(`keys fingerprint ${name} --json`);
      expect(code).toBe(0);
      expect(KeysFingerprintOutput.parse(JSON.parse(stdout))).toEqual({
        keyId,
        fingerprint: ed25519.fingerprintOf(publicKey),
      });
    }
  });

  test('an exposed private key ends with 4, no key and no file with 2', async () => {
    writeFileSync(at('a.key'), ed25519.privateKeyToPem(seed));
    chmodSync(at('a.key'), 0o640);
    writeFileSync(at('words'), 'no key');
    expect((await run('keys fingerprint a.key')).code).toBe(4);
    expect((await run('keys fingerprint words')).code).toBe(2);
    expect((await run('keys fingerprint missing')).code).toBe(2);
  });
});
