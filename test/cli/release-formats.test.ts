// Signatures for other updaters, statements, and what `release inspect` shows of a signature file.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import * as ed25519 from '#kernel/ed25519.ts';
import { readStatement } from '#signing/releases/statement.ts';
import { ReleaseInspectOutput, ReleaseSignOutput } from '../../src/cli/release/schemas.ts';
import { runInside } from '../support/cli-inside.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

const seed = Buffer.alloc(32, 9);
const key = ed25519.signingKeyOf(seed);

let folder: string;
const at = (name: string) => join(folder, name);
const run = (line: string) => runInside(line.split(' '), { cwd: folder });
beforeEach(() => {
  folder = scratchFolder('appctl-formats-');
  writeFileSync(at('b.zip'), 'bundle');
  writeFileSync(at('plain.key'), ed25519.privateKeyToPem(seed), { mode: 0o600 });
  writeFileSync(at('plain.pub'), ed25519.publicKeyToPem(key.publicKey));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('release sign', () => {
  test('says in the statement what the release says', async () => {
    const line =
      'release sign b.zip --key plain.key --json --product editor --version 2.1.0 --critical --requires-migration --min-from 1.4.0';
    const { statement } = ReleaseSignOutput.parse(JSON.parse((await run(line)).stdout)) as {
      statement: string;
    };
    expect(readStatement(statement)).toMatchObject({
      isCritical: true,
      requiresMigration: true,
      minFromVersion: '1.4.0',
    });
    expect((await run(`${line} -n --force --min-from 2`)).code).toBe(2);
  });

  test.each([
    ['minisign', 'b.zip.minisig', /^untrusted comment: .*\n[^\n]+\ntrusted comment: .*\n[^\n]+$/],
    ['sparkle', 'b.zip.sparkle', /^sparkle:edSignature="[A-Za-z0-9+/]{86}==" length="6"$/],
  ])('--format %s writes %s and prints it', async (format, name, form) => {
    const { code, stdout } = await run(`release sign b.zip --key plain.key --format ${format}`);
    expect([code, stdout.trimEnd()]).toEqual([0, expect.stringMatching(form)]);
    expect(readFileSync(at(name), 'utf8').trimEnd()).toBe(stdout.trimEnd());
    expect(existsSync(at('b.zip.sig.json'))).toBe(false);
    const json = await run(`release sign b.zip --key plain.key --format ${format} --json`);
    expect(ReleaseSignOutput.parse(JSON.parse(json.stdout))).toMatchObject({ signatureFile: name });
  });

  test('--tauri and --sparkle join FILE.sig.json, and inspect and verify know them', async () => {
    await run('release sign b.zip --key plain.key --tauri --sparkle --product editor --version 2.1.0');
    const { code, stdout } = await run('release inspect b.zip.sig.json');
    expect(code).toBe(0);
    expect(stdout).toMatch(/also for +tauri, sparkle\n/);
    expect(stdout).toMatch(/version +2\.1\.0\n/);
    expect(stdout).toMatch(/signature +valid, by the key in the file/);
    const json = JSON.parse((await run('release inspect b.zip.sig.json --json')).stdout);
    expect(ReleaseInspectOutput.parse(json)).toMatchObject({ file: 'b.zip', keyId: key.keyId });
    expect((await run('release verify b.zip --pubkey plain.pub')).code).toBe(0);
  });

  test('inspect ends with 6 for a file that somebody edited, with 2 for another one', async () => {
    await run('release sign b.zip --key plain.key --product editor --version 2.1.0');
    const record = JSON.parse(readFileSync(at('b.zip.sig.json'), 'utf8'));
    for (const change of [
      { size: 7 },
      { sha256: 'ab'.repeat(32) },
      { keyId: '0'.repeat(16) },
      { publicKey: Buffer.alloc(32).toString('base64') },
      { statement: `${record.statement}AA` },
    ]) {
      writeFileSync(at('e.sig.json'), JSON.stringify({ ...record, ...change }));
      const { code, stdout, stderr } = await run('release inspect e.sig.json --json');
      expect([code, JSON.parse(stdout).file]).toEqual([6, 'b.zip']);
      expect(stderr).toContain('warning:');
    }
    writeFileSync(at('e.sig.json'), '{}');
    for (const name of ['e.sig.json', 'b.zip', 'missing.sig.json', '.']) {
      expect((await run(`release inspect ${name}`)).code).toBe(2);
    }
  });
});
