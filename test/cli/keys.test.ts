import {
  chmodSync,
  existsSync,
  lstatSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import * as ed25519 from '#kernel/ed25519.ts';
import { encodePrivateKey } from '#signing/keys/key-encoding.ts';
import { KeysFingerprintOutput, KeysGenerateOutput } from '../../src/cli/keys/schemas.ts';
import { commands as keysCommands } from '../../src/cli/keys/spec.ts';
import { commands as releaseCommands } from '../../src/cli/release/spec.ts';
import { resultShape } from '../../src/cli/shapes.ts';
import { runInside } from '../support/cli-inside.ts';
import { type CliOptions, errorOf } from '../support/cli-process.ts';
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
    const forms = ['passphrase-file', 'passphrase-env', 'new-passphrase-file', 'new-passphrase-env'];
    expect(new Set(secretForms)).toEqual(new Set(forms));
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

describe('keys passphrase', () => {
  const env = { OLD: 'old', NEW: 'new', EMPTY: '' };
  const old = { value: 'old', tried: '' };
  const notes = { comment: 'ours', createdAt: '2026-01-02T03:04:05.000Z' };
  const opens = async (name: string, passphrase: string) =>
    (await run(`release sign a.key -n --key ${name} --passphrase-env NEW`, { env: { NEW: passphrase } }))
      .code;
  let closed: string;
  beforeEach(async () => {
    closed ??= await encodePrivateKey(seed, old, notes);
    writeFileSync(at('a.key'), closed, { mode: 0o600 });
  });

  test('changes it, keeps what the file says, and the old one opens nothing any more', async () => {
    symlinkSync('a.key', at('link.key'));
    const line = 'keys passphrase link.key --passphrase-env OLD --new-passphrase-env NEW --json';
    const { code, stdout } = await run(line, { env });
    expect([code, resultShape(['removed', 'changed']).parse(JSON.parse(stdout))]).toEqual([
      0,
      { ok: true, action: 'changed', id: keyId, changed: true },
    ]);
    expect(JSON.parse(readFileSync(at('a.key'), 'utf8'))).toMatchObject({ keyId, ...notes });
    expect([statSync(at('a.key')).mode & 0o777, lstatSync(at('link.key')).isSymbolicLink()]).toEqual([
      0o600,
      true,
    ]);
    expect([await opens('a.key', 'new'), await opens('a.key', 'old')]).toEqual([0, 4]);
  });

  test('removes it, and gives one to a key that had none', async () => {
    expect((await run('keys passphrase a.key --passphrase-env OLD --no-passphrase', { env })).code).toBe(0);
    expect(readFileSync(at('a.key'), 'utf8')).toBe(ed25519.privateKeyToPem(seed));
    expect((await run('keys passphrase a.key --new-passphrase-env NEW', { env })).code).toBe(0);
    expect(await opens('a.key', 'new')).toBe(0);
  });

  test.each([
    [
      'keys passphrase a.key --passphrase-env NEW --no-passphrase',
      4,
      'tried: passphrase from --passphrase-env NEW',
    ],
    ['keys passphrase a.key --no-passphrase', 4, 'no passphrase was given'],
    ['keys passphrase a.key --passphrase-env OLD', 2, '--new-passphrase-file is required'],
    ['keys passphrase a.key --passphrase-env OLD --new-passphrase-env UNSET', 2, 'UNSET is not set'],
    [
      'keys passphrase a.key --passphrase-env OLD --new-passphrase-env NEW --no-passphrase',
      2,
      'no-passphrase',
    ],
    ['keys passphrase missing.key --no-passphrase', 2, 'missing.key'],
    ['keys passphrase . --no-passphrase', 2, 'not a regular file'],
  ])('%s ends with %i and leaves the file as it is', async (line, expected, says) => {
    const { code, stdout, stderr } = await run(line, { env });
    expect([code, stdout, stderr]).toEqual([expected, '', expect.stringContaining(says)]);
    expect(readFileSync(at('a.key'), 'utf8')).toBe(closed);
  });

  test('a dry run writes nothing, a file that is open to others ends with 4, an empty passphrase with a warning', async () => {
    const line = 'keys passphrase a.key --passphrase-env OLD --new-passphrase-env EMPTY';
    const dry = await run(`${line} -n --json`, { env });
    expect([dry.code, JSON.parse(dry.stdout).dryRun]).toEqual([0, true]);
    expect(dry.stderr).toContain('warning: the passphrase is empty');
    expect(readFileSync(at('a.key'), 'utf8')).toBe(closed);
    chmodSync(at('a.key'), 0o644);
    expect((await run(line, { env })).code).toBe(4);
  });
});

describe('keys import, away from any installation', () => {
  const env = { PASS: 'correct horse', APPCTL_DATA_DIR: '/nonexistent/appctl' };
  const imports = async (line: string) => {
    const { code, stdout, stderr } = await run(`keys import ${line} --product editor --json`, { env });
    expect([code, stderr]).toEqual([0, expect.stringContaining('not registered')]);
    return KeysGenerateOutput.parse(JSON.parse(stdout));
  };
  const put = (name: string, text: string, mode = 0o600) => writeFileSync(at(name), text, { mode });

  test.each<[string, string, number]>([
    ['PKCS#8', ed25519.privateKeyToPem(seed), 0o600],
    ['SPKI', ed25519.publicKeyToPem(publicKey), 0o644],
    ['a seed in hex', `${seed.toString('hex')}\n`, 0o600],
    ['a seed in base64', `${seed.toString('base64')}\n`, 0o600],
  ])('takes %s', async (_what, text, mode) => {
    put('k', text, mode);
    expect(await imports('k')).toMatchObject({ keyId, status: null, registered: false, serverHeld: false });
  });

  test('32 bare bytes are a public key with --public only', async () => {
    put('k', publicKey.toString('base64'), 0o644);
    expect((await run('keys import k --product editor --json', { env })).code).toBe(4);
    expect(await imports('k --public')).toMatchObject({ keyId });
  });

  test('stores a private key in our own form, under a passphrase when one is given', async () => {
    put('k', seed.toString('hex'));
    const made = await imports('k --out our.key --new-passphrase-env PASS --comment ours');
    expect(made).toMatchObject({ encrypted: true, privateKeyFile: 'our.key', publicKeyFile: 'our.pub' });
    expect(statSync(at('our.key')).mode & 0o777).toBe(0o600);
    expect(readFileSync(at('our.pub'), 'utf8')).toBe(ed25519.publicKeyToPem(publicKey));
    const again = await imports('our.key --out again.key --passphrase-env PASS');
    expect(again.encrypted).toBe(true);
    expect(JSON.parse(readFileSync(at('again.key'), 'utf8'))).toMatchObject({ comment: 'ours' });
    expect((await run('release sign k -n --key again.key --passphrase-env PASS', { env })).code).toBe(0);
    expect(await imports('again.key --out plain.key --passphrase-env PASS --no-passphrase')).toMatchObject({
      encrypted: false,
    });
    const kept = await run('keys import k --product editor --out our.key --json', { env });
    expect([kept.code, errorOf(kept).details]).toEqual([5, { reason: 'FILE_EXISTS', path: 'our.key' }]);
  });

  test.each([
    ['words', 'no key at all', 6, 'not a public key'],
    ['a weak key', Buffer.alloc(32).toString('base64'), 6, 'small order', '--public'],
    [
      'a damaged PEM',
      '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n',
      6,
      'not a private key',
    ],
    [
      'a foreign algorithm',
      '-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n',
      6,
      'private',
    ],
    [
      'a public key with --out',
      ed25519.publicKeyToPem(publicKey),
      2,
      '--out needs a private key',
      '--out x.key',
    ],
    [
      'a public key with --server-held',
      ed25519.publicKeyToPem(publicKey),
      2,
      '--server-held',
      '--server-held',
    ],
    ['a slug that is none', '', 2, 'not a product slug', '--product ../x'],
    [
      '--out with --server-held',
      seed.toString('hex'),
      2,
      '--out cannot be used with',
      '--out x.key --server-held',
    ],
  ])('%s is refused', async (_what, text, expected, says, words = '') => {
    put('k', text);
    const product = words.includes('--product') ? '' : '--product editor';
    const line = `keys import k ${product} ${words} --json`.split(' ').filter(Boolean).join(' ');
    const { code, stdout, stderr } = await run(line, { env });
    expect([code, stdout, stderr]).toEqual([expected, '', expect.stringContaining(says)]);
    expect(existsSync(at('x.key'))).toBe(false);
  });
});
