// Online keys and offline tokens at the terminal: keys online, keys delegate, license token (cli 3.4, 3.5).
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { create as createQr } from 'qrcode';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signingKeyOf } from '#kernel/ed25519.ts';
import { decodePrivateKey } from '#signing/keys/key-encoding.ts';
import { errorOf, runCli } from '../support/cli-process.ts';
import { type Claims, claimsIn, verifyOfflineToken } from '../support/offline-token.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { type Installation, prepareInstallation } from './prepared-installation.ts';

type OnlineKey = { keyId: string; publicKey: string; status: string; delegation: { valid: boolean } | null };
type Token = { token: string | null; expiresAt: string };

const machine = 'machine-0001';
let it: Installation;
let root: Buffer;
const at = (name: string) => join(it.cwd, name);
beforeAll(async () => {
  it = await prepareInstallation();
  await answer('product', 'create', '--name', 'Editor', '--slug', 'editor');
  await answer('keys', 'generate', '--product', 'editor', '--out', at('editor.key'), '--no-passphrase');
  const { seed } = await decodePrivateKey(readFileSync(at('editor.key'), 'utf8'), async () => null);
  root = signingKeyOf(seed).publicKey;
});
afterAll(() => it.remove());

/** Runs a command in this process, which saves a second, and gives its answer. */
async function answer<T>(...args: string[]): Promise<T> {
  const run = await it.inside([...args, '--json']);
  if (run.code !== 0) throw new Error(`appctl ${args.join(' ')} ended with ${run.code}: ${run.stderr}`);
  return JSON.parse(run.stdout) as T;
}

/** Runs a command that must fail and gives its exit code and error. */
async function failure(...args: string[]) {
  const run = await it.inside([...args, '--json']);
  return { exit: run.code, stdout: run.stdout, ...errorOf(run) };
}

async function mint(...more: string[]): Promise<string> {
  const line = ['license', 'mint', '--product', 'editor', '--email', 'ann@x.test', ...more];
  return (await answer<{ id: string }>(...line)).id;
}

const delegateLine = (key: OnlineKey, ...more: string[]) => [
  'keys',
  'delegate',
  '--product',
  'editor',
  '--key',
  at('editor.key'),
  '--pub',
  key.publicKey,
  ...more,
];

let key: OnlineKey;

test('a token before there is an online key ends with 5 and names the cure', async () => {
  const id = await mint();
  const refused = await failure('license', 'token', id, '--machine', machine, '--activate');
  expect(refused).toMatchObject({
    exit: 5,
    stdout: '',
    code: 'CONFLICT',
    hint: 'appctl keys online create --product editor',
  });
  expect((await answer<{ items: [] }>('license', 'machines', 'list', id)).items).toEqual([]);
});

describe('keys online and keys delegate', () => {
  test('a dry run makes nothing; create answers the key and names the next commands', async () => {
    await answer('keys', 'online', 'create', '--product', 'editor', '--dry-run');
    expect((await answer<{ items: [] }>('keys', 'online', 'list')).items).toEqual([]);
    const { code, stdout, stderr } = await it.inside(['keys', 'online', 'create', '--product', 'editor']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('nothing yet: not delegated')]);
    const { items } = await answer<{ items: OnlineKey[] }>('keys', 'online', 'list', '--product', 'editor');
    key = items[0] as OnlineKey;
    expect(key).toMatchObject({ status: 'ACTIVE', delegation: null });
    expect(stderr).toContain('Next: appctl keys delegate --product editor');
    expect(stderr).toContain(`keys online delegate ${key.keyId}`);
    expect(await failure('keys', 'online', 'create', '--product', 'nothing')).toMatchObject({ exit: 3 });
  });

  test('delegate works in an empty folder and prints the text alone', async () => {
    const elsewhere = scratchFolder('appctl-offline-');
    const run = await runCli(delegateLine(key), { cwd: elsewhere });
    expect([run.code, run.stdout]).toEqual([0, expect.stringMatching(/^delegation\/[\w-]+\.[\w-]{86}\n$/)]);
    expect(existsSync(join(elsewhere, 'data'))).toBe(false);
    rmSync(elsewhere, { recursive: true });
    writeFileSync(at('editor.delegation'), run.stdout);
    const url = Buffer.from(key.publicKey, 'base64').toString('base64url');
    const narrow = delegateLine({ ...key, publicKey: url }, '--use', 'response,license', '--days', '90');
    const { delegation } = await answer<{ delegation: string }>(...narrow);
    const claims = claimsIn(delegation.slice('delegation/'.length).split('.')[0] as string);
    expect(claims).toMatchObject({ kid: key.keyId, prd: 'editor', use: ['license', 'response'] });
    expect(claims.exp - claims.nbf).toBe(90 * 86_400);
  });

  test.each([
    [['--use', 'license,bundle'], "--use 'bundle'"],
    [['--use', ''], "--use ''"],
    [['--days', '0'], '--days'],
    [['--days', '401'], '--days'],
    [['--pub', 'nothing'], '--pub'],
    [['--pub', 'A'.repeat(43)], 'public key'],
    [['--product', 'Editor'], 'not a product slug'],
    [['--key', 'missing.key'], 'missing.key'],
  ])('delegate with %j ends with 2', async (more, says) => {
    const line = delegateLine(key).filter((word, index, all) => {
      const flag = word.startsWith('--') ? word : all[index - 1];
      return flag === undefined || !more.includes(flag);
    });
    const refused = await failure(...line, ...more);
    expect([refused.exit, refused.stdout]).toEqual([2, '']);
    expect(refused.message).toContain(says);
  });

  test('online delegate verifies, ends with 6 for a bad one, and stores a good one', async () => {
    const text = readFileSync(at('editor.delegation'), 'utf8');
    const otherSignature = (_all: string, first: string) => (first === 'A' ? '.B' : '.A');
    writeFileSync(at('bad'), text.replace(/\.(.)/, otherSignature));
    const refused = await failure('keys', 'online', 'delegate', key.keyId, '--delegation-file', at('bad'));
    expect(refused).toMatchObject({ exit: 6, stdout: '', details: { reason: 'SIGNATURE_INVALID' } });
    expect(
      await failure('keys', 'online', 'delegate', '0'.repeat(16), '--delegation-file', at('bad')),
    ).toMatchObject({ exit: 3 });
    const line = ['keys', 'online', 'delegate', key.keyId, '--delegation-file', '-'];
    const plan = await it.answer<OnlineKey>([...line, '--dry-run'], { input: text });
    expect(plan).toMatchObject({ dryRun: true, delegation: { valid: true } });
    const before = await answer<{ items: OnlineKey[] }>('keys', 'online', 'list');
    expect(before.items[0]?.delegation).toBeNull();
    const stored = await it.json<OnlineKey>(line, { input: JSON.stringify({ delegation: text.trim() }) });
    expect(stored).toMatchObject({ keyId: key.keyId, status: 'ACTIVE', delegation: { valid: true } });
  });
});

describe('license token', () => {
  const verify = (token: string): { result: string; claims: Claims } => {
    const iat = claimsIn(token.slice('license/'.length).split('.')[0] as string).iat;
    const client = { rootKeys: [root], product: 'editor', machineId: machine, now: iat };
    return verifyOfflineToken(token, client) as { result: string; claims: Claims };
  };

  test('--activate binds the machine and prints a token that verifies; tokens lists it', async () => {
    const id = await mint();
    const line = ['license', 'token', id, '--machine', machine];
    const refused = await failure(...line);
    expect(refused).toMatchObject({ exit: 5, code: 'NOT_ACTIVATED' });
    expect(refused.hint).toContain('--activate');
    const plan = await answer<Token>(...line, '--activate', '--dry-run');
    expect(plan).toMatchObject({ token: null, dryRun: true });
    expect((await answer<{ items: [] }>('license', 'tokens', id)).items).toEqual([]);
    const run = await it.appctl([...line, '--activate', '--days', '90']);
    expect([run.code, run.stdout]).toEqual([0, expect.stringMatching(/^license\/[\w.-]+\n$/)]);
    expect(run.stderr).toContain('valid until');
    const { result, claims } = verify(run.stdout.trim());
    expect([result, claims.exp - claims.iat]).toEqual(['VALID', 90 * 86_400]);
    const { items } = await answer<{ items: { id: string; issuedBy: string }[] }>('license', 'tokens', id);
    expect(items).toMatchObject([{ id: claims.jti, issuedBy: expect.stringMatching(/^cli:/) }]);
  });

  test('--qr draws the same token on stderr, and stdout still holds it', async () => {
    const id = await mint();
    const run = await it.inside(['license', 'token', id, '--machine', machine, '--activate', '--qr']);
    const token = run.stdout.trim();
    expect(verify(token).result).toBe('VALID');
    const { modules } = createQr(token, { errorCorrectionLevel: 'L' });
    const drawn = run.stderr.split('\n').filter((line) => /^[ ▄▀█]+$/.test(line) && line.length > 20);
    expect(drawn).toHaveLength(Math.ceil((modules.size + 4) / 2));
    const dark = (row: number, column: number): boolean => {
      const block = drawn[Math.floor(row / 2)]?.[column] ?? ' ';
      return block === '█' || block === (row % 2 === 0 ? '▀' : '▄');
    };
    for (let row = 0; row < modules.size; row += 1) {
      for (let column = 0; column < modules.size; column += 1) {
        if (dark(row + 2, column + 2) !== (modules.get(row, column) !== 0)) {
          throw new Error(`the module ${row}, ${column} is drawn wrongly`);
        }
      }
    }
  });

  test('a token that no QR code holds is told, and printed all the same', async () => {
    const features = JSON.stringify({ a: 'x'.repeat(3000) });
    const id = await mint('--features', features);
    const run = await it.inside([
      'license',
      'token',
      id,
      '--machine',
      machine,
      '--activate',
      '--qr',
      '--json',
    ]);
    expect(run.code).toBe(0);
    expect(run.stderr).toContain('more than a QR code holds');
    expect(verify((JSON.parse(run.stdout) as { token: string }).token).result).toBe('VALID');
  });

  test('refusals: unknown license 3, revoked 5, bad flags 2', async () => {
    const id = await mint();
    const line = (...more: string[]) => failure('license', 'token', ...more);
    expect(await line('lic_nothing', '--machine', machine)).toMatchObject({ exit: 3 });
    expect(await line(id, '--machine', 'short')).toMatchObject({ exit: 2 });
    expect((await line(id, '--machine', 'short')).message).toContain('--machine');
    expect(await line(id, '--machine', machine, '--days', '401')).toMatchObject({ exit: 2 });
    expect(await line(id, '--machine', machine, '--days', '0')).toMatchObject({ exit: 2 });
    expect(await line(id)).toMatchObject({ exit: 2 });
    await answer('license', 'revoke', id, '--reason', 'x', '--yes');
    expect(await line(id, '--machine', machine, '--activate')).toMatchObject({
      exit: 5,
      code: 'LICENSE_REVOKED',
    });
    expect(await failure('license', 'tokens', 'lic_nothing')).toMatchObject({ exit: 3 });
  });
});

test('with a server-held root key create does all three steps', async () => {
  await answer('product', 'create', '--name', 'Viewer', '--slug', 'viewer');
  await answer('keys', 'generate', '--product', 'viewer', '--server-held');
  const made = await answer<OnlineKey>('keys', 'online', 'create', '--product', 'viewer');
  expect(made).toMatchObject({ status: 'ACTIVE', delegation: { valid: true } });
});
