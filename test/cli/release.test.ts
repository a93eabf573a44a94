import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { verifyAsync } from '@noble/ed25519';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import * as ed25519 from '#kernel/ed25519.ts';
import { encodePrivateKey } from '#signing/keys/key-encoding.ts';
import { ReleaseSignOutput, ReleaseVerifyOutput } from '../../src/cli/release/schemas.ts';
import { runInside } from '../support/cli-inside.ts';
import { type CliOptions, errorOf, runCli } from '../support/cli-process.ts';
import { hasOpenssl, opensslVerifies } from '../support/openssl.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

const seed = Buffer.alloc(32, 9);
const key = ed25519.signingKeyOf(seed);
const notes = { comment: null, createdAt: '2026-01-02T03:04:05.000Z' };
const digestOfBundle = Buffer.from(
  execFileSync('sha256sum', { input: 'bundle' }).toString().slice(0, 64),
  'hex',
);

let folder: string;
let closedKey: string;
const at = (name: string) => join(folder, name);
const run = (line: string, options: CliOptions = {}) =>
  runInside(line.split(' '), { cwd: folder, ...options });
/** The same as a process, where its streams, its environment or its memory are what is asked. */
const spawned = (line: string, options: CliOptions = {}) =>
  runCli(line.split(' '), { cwd: folder, ...options });
const secret = { env: { RELEASE_PASS: 'correct horse' } };

// Sealing is slow on purpose, and no test changes the sealed text.
beforeAll(async () => {
  closedKey = await encodePrivateKey(seed, { value: 'correct horse', tried: '' }, notes);
});
beforeEach(() => {
  folder = scratchFolder('appctl-release-');
  writeFileSync(at('b.zip'), 'bundle');
  writeFileSync(at('plain.key'), ed25519.privateKeyToPem(seed), { mode: 0o600 });
  writeFileSync(at('closed.key'), closedKey, { mode: 0o600 });
  writeFileSync(at('plain.pub'), ed25519.publicKeyToPem(key.publicKey));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const NO_STATEMENT =
  'no statement is signed, and the client SDK refuses such a release: add --product and --version\n';

describe('release sign', () => {
  test('prints the base64 signature, which every verifier takes', async () => {
    const { code, stdout, stderr } = await spawned('release sign b.zip --key plain.key');
    expect(stderr).toContain(NO_STATEMENT);
    expect(code).toBe(0);
    const signature = ed25519.decodeBase64(stdout.trimEnd(), 64);
    expect(await verifyAsync(signature, digestOfBundle, key.publicKey, { zip215: false })).toBe(true);
    if (hasOpenssl)
      expect(opensslVerifies(readFileSync(at('plain.pub'), 'utf8'), digestOfBundle, signature)).toBe(true);
    expect((await run('release verify b.zip --pubkey plain.pub')).code).toBe(0);
  });

  test('answers the documented JSON and leaves the same bytes on every run', async () => {
    const first = await spawned('release sign b.zip --key plain.key --comment ours --json');
    const bytes = readFileSync(at('b.zip.sig.json'));
    const again = await run('release sign b.zip --key plain.key --comment ours --json');
    expect(ReleaseSignOutput.parse(JSON.parse(first.stdout))).toMatchObject({
      file: 'b.zip',
      sha256: digestOfBundle.toString('hex'),
      keyId: key.keyId,
      comment: 'ours',
      signatureFile: 'b.zip.sig.json',
    });
    expect(again.stdout).toBe(first.stdout);
    expect(readFileSync(at('b.zip.sig.json'))).toEqual(bytes);
  });

  test('opens an encrypted key by file, stdin, variable and APPCTL_KEY_PASSPHRASE', async () => {
    writeFileSync(at('pass.txt'), 'correct horse\n');
    const runs = await Promise.all([
      run('release sign b.zip -n --key closed.key --passphrase-file pass.txt'),
      spawned('release sign b.zip -n --key closed.key --passphrase-stdin', { input: 'correct horse\n' }),
      spawned('release sign b.zip -n --key closed.key --passphrase-env RELEASE_PASS', secret),
      run('release sign b.zip -n --key closed.key', { env: { APPCTL_KEY_PASSPHRASE: 'correct horse' } }),
      run('release sign b.zip -n --key closed.key', { env: { APPCTL_KEY_PASSPHRASE_FILE: at('pass.txt') } }),
    ]);
    expect(runs.map(({ code, stderr }) => [code, stderr])).toEqual(
      runs.map(() => [0, `would write b.zip.sig.json (key ${key.keyId})\n${NO_STATEMENT}`]),
    );
    expect(existsSync(at('b.zip.sig.json'))).toBe(false);
  });

  test('the flag wins over the variable of the configuration', async () => {
    const { code, stderr } = await run('release sign b.zip --key closed.key --passphrase-env WRONG --json', {
      env: { WRONG: '', APPCTL_KEY_PASSPHRASE: 'correct horse' },
    });
    expect(code).toBe(4);
    expect(stderr).toContain('tried: empty passphrase from --passphrase-env WRONG');
  });

  test('a wrong passphrase ends with 4 before the bundle is looked at', async () => {
    const wrong = await run(
      'release sign missing.zip --key closed.key --passphrase-env RELEASE_PASS --json',
      {
        env: { RELEASE_PASS: 'wrong' },
      },
    );
    expect(wrong.code).toBe(4);
    expect(wrong.stdout).toBe('');
    expect(errorOf(wrong)).toMatchObject({ code: 'UNAUTHORIZED', details: { reason: 'WRONG_PASSPHRASE' } });
    const none = await run('release sign b.zip --key closed.key --json');
    expect([none.code, errorOf(none).details]).toEqual([4, { reason: 'PASSPHRASE_MISSING' }]);
  });

  test('a key that others may read ends with 4 and names the file', async () => {
    chmodSync(at('plain.key'), 0o644);
    const { code, stderr } = await run('release sign b.zip --key plain.key');
    expect(code).toBe(4);
    expect(stderr).toContain('plain.key is open to other users (mode 0644)');
  });

  test('takes the key from a variable and from stdin', async () => {
    const pem = ed25519.privateKeyToPem(seed);
    const runs = await Promise.all([
      run('release sign b.zip -n --key env://SIGNING_KEY --json', { env: { SIGNING_KEY: pem } }),
      spawned('release sign b.zip -n --key stdin: --json', { input: pem }),
    ]);
    for (const { stdout } of runs)
      expect(JSON.parse(stdout)).toMatchObject({ keyId: key.keyId, dryRun: true });
    const both = await run('release sign b.zip --key stdin: --passphrase-stdin', { input: 'x' });
    expect(both.code).toBe(2);
  });

  test('several files give items; one that cannot be signed gives 7, none gives its own code', async () => {
    writeFileSync(at('c.zip'), 'another');
    const good = await run('release sign b.zip --bundle c.zip --key plain.key --json');
    expect(good.code).toBe(0);
    const answer = ReleaseSignOutput.parse(JSON.parse(good.stdout));
    expect(answer).toMatchObject({ items: [{ file: 'c.zip' }, { file: 'b.zip' }].reverse() });
    const partial = await run('release sign b.zip missing.zip --key plain.key --json');
    expect(partial.code).toBe(7);
    expect(JSON.parse(partial.stdout).items).toHaveLength(1);
    expect(partial.stderr).toContain('missing.zip');
    expect((await run('release sign no.zip missing.zip --key plain.key --json')).code).toBe(2);
  });

  test('writes a statement when product and version are known', async () => {
    const line =
      'release sign b.zip --key plain.key --json --product editor --version 2.1.0 --channel beta --sequence 7';
    const signed = JSON.parse((await run(line)).stdout);
    const payload = JSON.parse(
      Buffer.from(signed.statement.slice('release/'.length), 'base64url').toString(),
    );
    expect(payload).toMatchObject({
      product: 'editor',
      version: '2.1.0',
      channel: 'beta',
      sequence: 7,
      kid: key.keyId,
    });
    expect((await run('release verify b.zip --pubkey plain.pub')).code).toBe(0);
  });

  test.each([
    ['release sign --key plain.key', 'FILE is missing'],
    ['release sign b.zip', '--key is required'],
    ['release sign b.zip --key missing.key', 'missing.key'],
    ['release sign b.zip --key plain.pub', 'not a private key'],
    ['release sign missing.zip --key plain.key', 'missing.zip'],
    ['release sign . --key plain.key', 'not a regular file'],
    ['release sign b.zip --key env:KEY', 'env://VAR'],
    ['release sign b.zip --key env://UNSET', 'UNSET'],
    ['release sign b.zip --key plain.key --version 2.1.0', '--product and --version'],
    ['release sign b.zip --key plain.key --channel beta', '--channel needs'],
    ['release sign b.zip --key plain.key --product editor --version two', '--version'],
    ['release sign b.zip --key plain.key --sha256 12', 'SHA-256'],
    ['release sign b.zip --key plain.key --format pgp', '--format'],
    ['release sign b.zip --key plain.key --format minisign --tauri', '--tauri'],
    [
      'release sign b.zip --key plain.key --format sparkle --product editor --version 2.1.0',
      'cannot contain a statement',
    ],
    ['release sign b.zip --key plain.key --min-from 1.0.0', '--min-from needs'],
    ['release sign b.zip --key plain.key --critical', '--critical needs'],
    ['release sign b.zip --key plain.key --passphrase secret', '--passphrase'],
  ])('%s ends with 2', async (line, says) => {
    chmodSync(at('plain.pub'), 0o600);
    const { code, stdout, stderr } = await run(line);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(says);
    expect(existsSync(at('b.zip.sig.json'))).toBe(false);
  });

  test('another digest than expected ends with 6, a foreign signature file with 5', async () => {
    const wrong = await run(`release sign b.zip --key plain.key --sha256 ${'ab'.repeat(32)} --json`);
    expect([wrong.code, errorOf(wrong).code]).toEqual([6, 'VERIFICATION_FAILED']);
    writeFileSync(at('b.zip.sig.json'), '{}');
    expect((await run('release sign b.zip --key plain.key')).code).toBe(5);
    expect((await run('release sign b.zip --key plain.key --force')).code).toBe(0);
  });

  test('memory does not grow with the file', async () => {
    const peak =
      "--import=data:text/javascript,process.on('exit',()=>console.error(process.resourceUsage().maxRSS))";
    const peakKib = async (file: string) => {
      const { code, stderr } = await spawned(`release sign ${file} --key plain.key -n -q`, {
        env: { NODE_OPTIONS: peak },
      });
      expect(code).toBe(0);
      return Number(stderr.trim());
    };
    writeFileSync(at('huge.bin'), '');
    truncateSync(at('huge.bin'), 512 * 1024 * 1024);
    expect((await peakKib('huge.bin')) - (await peakKib('b.zip'))).toBeLessThan(32 * 1024);
  });
});

describe('release verify', () => {
  let server: Server;
  let url: string;
  beforeAll(async () => {
    server = createServer((request, response) => {
      if (request.url === '/moved') response.writeHead(302, { location: '/key' });
      else if (request.url !== '/key') response.writeHead(404);
      response.end(
        JSON.stringify({ success: true, public_key: ed25519.publicKeyToPem(key.publicKey), keys: [] }),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());
  beforeEach(() => {
    const { signature } = { signature: key.sign(digestOfBundle).toString('base64') };
    writeFileSync(at('b.sig'), `${signature}\n`);
  });

  test('takes the public key as file, stdin, base64 and address', async () => {
    const base64 = key.publicKey.toString('base64');
    const runs = await Promise.all([
      run('release verify b.zip --sig b.sig --json --pubkey plain.pub'),
      spawned('release verify b.zip --sig b.sig --json --pubkey -', {
        input: ed25519.publicKeyToPem(key.publicKey),
      }),
      run(`release verify b.zip --sig b.sig --json --pubkey ${base64}`),
      run(`release verify b.zip --sig b.sig --json --pubkey ${url}/key`),
    ]);
    const valid = { valid: true, sha256: digestOfBundle.toString('hex'), keyId: key.keyId };
    for (const { code, stdout } of runs) {
      expect([code, ReleaseVerifyOutput.parse(JSON.parse(stdout))]).toEqual([0, valid]);
    }
  });

  test.each([
    ['a changed bundle', () => writeFileSync(at('b.zip'), 'bundlE'), 'b.sig', 'BAD_SIGNATURE'],
    [
      'a signature over the hex text',
      () => signInstead(Buffer.from(digestOfBundle.toString('hex'))),
      'b.sig',
      'BAD_SIGNATURE',
    ],
    ['a signature over the raw bytes', () => signInstead(Buffer.from('bundle')), 'b.sig', 'BAD_SIGNATURE'],
    ['a damaged public key', () => writeFileSync(at('plain.pub'), 'no key'), 'b.sig', 'WRONG_KEY'],
    [
      'a public key of small order',
      () => writeFileSync(at('plain.pub'), Buffer.alloc(32).toString('base64')),
      'b.sig',
      'WRONG_KEY',
    ],
    ['no signature', () => undefined, 'missing.sig', 'NO_SIGNATURE'],
  ])('%s ends with 6', async (_what, damage, sig, reason) => {
    damage();
    const { code, stdout } = await run(`release verify b.zip --pubkey plain.pub --sig ${sig} --json`);
    expect(code).toBe(6);
    expect(ReleaseVerifyOutput.parse(JSON.parse(stdout))).toMatchObject({ valid: false, reason });
    const human = await run(`release verify b.zip --pubkey plain.pub --sig ${sig}`);
    expect([human.code, human.stdout]).toEqual([6, expect.stringContaining(`NOT VALID  ${reason}`)]);
  });

  const signInstead = (message: Buffer) => writeFileSync(at('b.sig'), key.sign(message));

  test('a changed bundle beside its signature file is a HASH_MISMATCH', async () => {
    await run('release sign b.zip --key plain.key');
    writeFileSync(at('b.zip'), 'bundlE');
    const { code, stdout } = await spawned('release verify b.zip --pubkey plain.pub --json');
    expect([code, JSON.parse(stdout).reason]).toEqual([6, 'HASH_MISMATCH']);
  });

  test.each([
    ['--pubkey nowhere.pub', 2],
    ['--pubkey http://example.com/key', 2],
    ['--pubkey URL/missing', 9],
    ['--pubkey URL/moved', 9],
    ['--pubkey http://127.0.0.1:1/', 9],
    ['--pubkey plain.pub --sha256 12', 2],
  ])('%s ends with %i', async (words, expected) => {
    const { code, stdout } = await run(`release verify b.zip --sig b.sig ${words.replace('URL', url)}`);
    expect([code, stdout]).toEqual([expected, '']);
  });
});
