import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from '#kernel/config/load.ts';
import * as ed25519 from '#kernel/ed25519.ts';
import { createLog } from '#kernel/log.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { openInstance } from '../../src/app/instance.ts';
import {
  KeysActivateOutput,
  KeysExportOutput,
  KeysGenerateOutput,
  KeysListOutput,
  KeysRotateOutput,
  KeysShowOutput,
} from '../../src/cli/keys/schemas.ts';
import { resultShape } from '../../src/cli/shapes.ts';
import { runInside } from '../support/cli-inside.ts';
import { type CliOptions, errorOf, runCli } from '../support/cli-process.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../support/database.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

let fresh: FreshDatabase;
let folder: string;
let env: Record<string, string>;
const at = (name: string) => join(folder, name);
const within = (options: CliOptions) => ({ cwd: folder, ...options, env: { ...env, ...options.env } });
const run = (line: string, options: CliOptions = {}) => runInside(line.split(' '), within(options));
/** The same as a process. */
const spawned = (line: string, options: CliOptions = {}) => runCli(line.split(' '), within(options));
const answer = async (line: string, options?: CliOptions, how = run) => {
  const { code, stdout, stderr } = await how(`${line} --json`, options);
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('error')]);
  return JSON.parse(stdout);
};

beforeAll(async () => {
  fresh = await migratedDatabaseUrl();
  folder = scratchFolder('appctl-keys-');
  env = { APPCTL_DATA_DIR: at('data'), APPCTL_DATABASE_URL: fresh.url };
  const { config } = await loadConfig({ env, cwd: folder });
  const log = createLog({ level: 'silent', destination: 2 });
  const instance = await openInstance({ config, log, mode: 'prepare' });
  for (const slug of ['editor', 'viewer', 'player', 'rotor', 'import'])
    await products.create(instance.ctx, { name: slug, slug });
  await instance.close();
  writeFileSync(at('b.zip'), 'bundle');
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await fresh.drop();
});

describe('keys generate', () => {
  test('writes both files and registers the first key as ACTIVE, another one with --next as NEXT', async () => {
    const line = 'keys generate --product editor --passphrase-env RELEASE_PASS --comment ours';
    const options = { env: { RELEASE_PASS: 'correct horse' } };
    const first = KeysGenerateOutput.parse(await answer(`${line} --out editor.key`, options, spawned));
    expect(first).toMatchObject({
      product: 'editor',
      status: 'ACTIVE',
      registered: true,
      encrypted: true,
      serverHeld: false,
      privateKeyFile: 'editor.key',
      publicKeyFile: 'editor.pub',
    });
    expect(readFileSync(at('editor.pub'), 'utf8')).toBe(first.publicKeyPem);
    expect(statSync(at('editor.key')).mode & 0o777).toBe(0o600);
    expect(await answer(`${line} --out next.key --next`, options)).toMatchObject({ status: 'NEXT' });
    await answer('release sign b.zip --key editor.key --passphrase-env RELEASE_PASS', options);
    expect(await answer('release verify b.zip --pubkey store:editor')).toMatchObject({
      valid: true,
      keyId: first.keyId,
    });
  });

  test('a product that the installation does not know is refused before a file is written', async () => {
    const refused = await run('keys generate --product unknown --out open.key --no-passphrase --json');
    expect([refused.code, errorOf(refused).message]).toEqual([
      3,
      "this data directory has no product 'unknown'",
    ]);
    expect(refused.stderr).toContain('appctl product create --name unknown --slug unknown');
    expect(existsSync(at('open.key'))).toBe(false);
  });

  test('without a passphrase it warns, stores in the clear and says so', async () => {
    const away = { env: { APPCTL_DATA_DIR: at('elsewhere'), APPCTL_DATABASE_URL: '' } };
    const { code, stdout, stderr } = await run('keys generate --product unknown --out open.key --json', away);
    expect(code).toBe(0);
    expect(stderr).toContain('warning: no passphrase was given');
    expect(JSON.parse(stdout)).toMatchObject({ encrypted: false, registered: false, status: null });
    const quiet = await run(
      'keys generate --product unknown --out open2.key --no-passphrase -q --json',
      away,
    );
    expect([quiet.code, quiet.stderr]).toEqual([0, '']);
  });

  test('existing files are kept and nothing is registered', async () => {
    writeFileSync(at('mine.pub'), 'mine');
    const refused = await run('keys generate --product viewer --out mine.key --no-passphrase --json');
    expect([refused.code, errorOf(refused).details]).toEqual([
      5,
      { reason: 'FILE_EXISTS', path: 'mine.pub' },
    ]);
    expect(existsSync(at('mine.key'))).toBe(false);
    expect((await answer('keys list --product viewer')).items).toEqual([]);
  });

  test('a dry run writes and registers nothing', async () => {
    const plan = KeysGenerateOutput.parse(
      await answer('keys generate --product viewer --out dry.key --no-passphrase -n'),
    );
    expect(plan).toMatchObject({ dryRun: true, registered: false, privateKeyFile: 'dry.key' });
    expect(existsSync(at('dry.key'))).toBe(false);
    expect((await answer('keys list --product viewer')).items).toEqual([]);
  });

  test('away from any installation it makes the key and no database', async () => {
    const elsewhere = { APPCTL_DATA_DIR: at('elsewhere'), APPCTL_DATABASE_URL: '' };
    const made = await answer('keys generate --product editor --out away.key --no-passphrase', {
      env: elsewhere,
    });
    expect(made).toMatchObject({ registered: false, status: null });
    expect(existsSync(at('elsewhere'))).toBe(false);
  });

  test.each([
    ['keys generate --out a.key', '--product is required'],
    ['keys generate --product Editor', 'not a product slug'],
    ['keys generate --product editor --no-passphrase --passphrase-env X', '--no-passphrase'],
    ['keys generate --product editor --next --out a.key --passphrase-env UNSET', 'UNSET'],
    ['keys generate --product editor --server-held --out a.key', '--out cannot be used with'],
    ['keys generate --product unknown --server-held', 'database'],
    [`keys generate --product editor --comment ${'x'.repeat(101)}`, '--comment'],
    ['keys generate --product editor --next --no-passphrase --out no/such/a.key', 'no/such/a.key'],
  ])('%s ends with 2', async (line, says) => {
    const { code, stdout, stderr } = await run(line);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(says);
  });
});

describe('server-held keys', () => {
  test('are made in the database, sign by store:KEYID and leave it only by a severe confirmation', async () => {
    const key = await answer('keys generate --product player --server-held');
    expect(KeysGenerateOutput.parse(key)).toMatchObject({
      serverHeld: true,
      encrypted: true,
      status: 'ACTIVE',
    });
    await answer(`release sign b.zip --key store:${key.keyId} --force`);
    expect(await answer('release verify b.zip --pubkey store:player')).toMatchObject({ valid: true });
    const refused = await run(`keys export ${key.keyId} --out held.key --yes --json`);
    expect([refused.code, existsSync(at('held.key'))]).toEqual([10, false]);
    await answer(`keys export ${key.keyId} --out held.key --confirm ${key.keyId}`);
    expect(statSync(at('held.key')).mode & 0o777).toBe(0o600);
    expect(await answer('keys fingerprint held.key')).toMatchObject({ keyId: key.keyId });
    const asSeed = await spawned(`keys export ${key.keyId} --format hex --confirm ${key.keyId}`);
    expect(ed25519.signingKeyOf(ed25519.decodeHex(asSeed.stdout.trim(), 32)).keyId).toBe(key.keyId);
    expect((await run(`keys export ${key.keyId} --json --confirm ${key.keyId}`)).code).toBe(2);
  });
});

describe('keys list, show and export', () => {
  test('answer the documented JSON', async () => {
    const page = KeysListOutput.parse(await answer('keys list --product editor'));
    expect(page.items.map(({ status }) => status)).toEqual(['NEXT', 'ACTIVE']);
    const active = page.items[1]!;
    expect(KeysShowOutput.parse(await answer(`keys show ${active.keyId}`))).toEqual(active);
    expect(KeysExportOutput.parse(await answer(`keys export ${active.keyId} --public`))).toEqual({
      keyId: active.keyId,
      publicKey: active.publicKey,
      publicKeyPem: active.publicKeyPem,
    });
    expect((await run(`keys export ${active.keyId} --public`)).stdout).toBe(active.publicKeyPem);
    expect((await run(`keys export ${active.keyId} --public --format base64`)).stdout).toBe(
      `${active.publicKey}\n`,
    );
    expect((await run('keys list --plain')).stdout).toContain(active.keyId);
  });

  test('an unknown key ends with 3, a private part that is elsewhere too', async () => {
    const [key] = (await answer('keys list --product editor')).items;
    expect((await run('keys show 0123456789abcdef')).code).toBe(3);
    expect((await run('keys export 0123456789abcdef --public')).code).toBe(3);
    expect((await run(`keys export ${key.keyId} --out x.key --confirm ${key.keyId}`)).code).toBe(3);
    expect((await run('release verify b.zip --pubkey store:unknown')).code).toBe(3);
    expect((await run('release verify b.zip --pubkey store:viewer')).code).toBe(3);
    expect((await run('release sign b.zip --key store:0123456789abcdef')).code).toBe(3);
  });

  test('without an installation they fail and make none', async () => {
    const elsewhere = { env: { APPCTL_DATA_DIR: at('elsewhere'), APPCTL_DATABASE_URL: '' } };
    const { code, stdout } = await spawned('keys list --json', elsewhere);
    expect([code === 0, stdout, existsSync(at('elsewhere'))]).toEqual([false, '', false]);
  });
});

describe('keys import', () => {
  test('registers the public half, keeps the id of minisign, and takes a private one into custody', async () => {
    const secret = `untrusted comment: minisign encrypted secret key
RWQAAEIyAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAARaKBYIS5wbCd57tnhEyqyZ9wnwjMJEYeXcuoJgi/jb1BFmnbe7QC4hjuh+ih22KwhXGd9WqlBkd4WeJzHMt7PfJC4v9weCS3AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=
`;
    const pub = `untrusted comment: minisign public key B0C1B9846081A245
RWRFooFghLnBsBjuh+ih22KwhXGd9WqlBkd4WeJzHMt7PfJC4v9weCS3
`;
    writeFileSync(at('minisign.key'), secret, { mode: 0o600 });
    writeFileSync(at('minisign.pub'), pub);
    const line = 'keys import minisign.key --product import';
    expect(await answer(`${line} -n`)).toMatchObject({ dryRun: true, registered: false });
    expect((await answer('keys list --product import')).items).toEqual([]);
    const key = KeysGenerateOutput.parse(await answer('keys import minisign.pub --product import'));
    expect(key).toMatchObject({ registered: true, status: 'ACTIVE', serverHeld: false });
    expect((await run(`keys export ${key.keyId} --public --format minisign`)).stdout).toBe(pub);
    expect(await answer(`${line} --server-held`)).toMatchObject({ keyId: key.keyId, serverHeld: true });
    const exported = await run(`keys export ${key.keyId} --format minisign --confirm ${key.keyId}`);
    expect(exported.stdout.split('\n')[1]).toBe(secret.split('\n')[1]);
    await answer(`release sign b.zip --key store:${key.keyId} --format minisign`);
    expect(readFileSync(at('b.zip.minisig'), 'utf8')).toContain('minisign key B0C1B9846081A245');
    expect((await run('keys import minisign.pub --product unknown --server-held')).code).toBe(2);
  });
});

describe('keys rotate, activate and retire', () => {
  const env = { OLD: 'old pass', NEW: 'new pass' };
  const rotate = 'keys rotate --product rotor --key rotor.key --passphrase-env OLD';

  test('walk: the next key is signed by the old one, takes over, and a retired one does not come back', async () => {
    const old = await answer('keys generate --product rotor --passphrase-env OLD', { env });
    const plan = KeysRotateOutput.parse(await answer(`${rotate} -n`, { env }));
    expect([plan.dryRun, existsSync(at('rotor.next.key'))]).toEqual([true, false]);
    const { next, continuity, ...rest } = KeysRotateOutput.parse(
      await answer(`${rotate} --new-passphrase-env NEW --overlap 2d`, { env }),
    );
    expect(rest).toMatchObject({
      old: { keyId: old.keyId, status: 'ACTIVE' },
      privateKeyFile: 'rotor.next.key',
      publicKeyFile: 'rotor.next.pub',
    });
    expect(next).toMatchObject({ status: 'NEXT', encrypted: true, registered: true });
    expect(statSync(at('rotor.next.key')).mode & 0o777).toBe(0o600);
    const signature = Buffer.from(continuity.signature, 'base64');
    const oldKey = Buffer.from(old.publicKey, 'base64');
    expect(ed25519.verify(oldKey, Buffer.from(continuity.statement), signature)).toBe(true);
    expect((await run(`keys show ${next.keyId}`)).stdout).toContain('in 2 days');
    const again = await run(`${rotate} --out other.key --json`, { env });
    expect([again.code, errorOf(again).details]).toEqual([
      5,
      expect.objectContaining({ reason: 'ROTATION_PLANNED' }),
    ]);
    expect(existsSync(at('other.key'))).toBe(false);
    expect(await answer(`keys activate ${next.keyId} -n`)).toMatchObject({ status: 'ACTIVE', dryRun: true });
    expect((await run(`keys activate ${next.keyId} --json`)).code).toBe(10);
    expect(KeysActivateOutput.parse(await answer(`keys activate ${next.keyId} --yes`)).status).toBe('ACTIVE');
    expect(await answer(`keys show ${old.keyId}`)).toMatchObject({ status: 'RETIRED' });
    expect((await run(`keys activate ${old.keyId}`)).code).toBe(5);
    await answer('release sign b.zip --key rotor.next.key --passphrase-env NEW --force', { env });
    expect((await run(`keys retire ${next.keyId} --json`)).code).toBe(10);
    const retired = await run(`keys retire ${next.keyId} --yes --json`);
    expect(resultShape(['retired']).parse(JSON.parse(retired.stdout))).toEqual({
      ok: true,
      action: 'retired',
      id: next.keyId,
      changed: true,
    });
    expect(retired.stderr).toContain('no ACTIVE key');
    expect(await answer(`keys retire ${next.keyId}`)).toMatchObject({ changed: false });
    expect((await run(rotate, { env })).code).toBe(5);
  });

  test('a server-held key is followed by another, or by one that is registered', async () => {
    const first = await answer('keys rotate --product player --activate-at 2100-01-01');
    expect(first).toMatchObject({ next: { serverHeld: true }, activateAt: '2100-01-01T00:00:00.000Z' });
    await answer(`keys retire ${first.next.keyId} --yes`);
    const stored = await answer(`keys rotate --product player --key store:${first.old.keyId} -n`);
    expect(stored.next).toMatchObject({ serverHeld: true, encrypted: true });
    const second = 'keys generate --product player --out other.key --no-passphrase';
    const refused = await run(`${second} --json`);
    expect([refused.code, errorOf(refused)]).toEqual([
      5,
      expect.objectContaining({
        message: `player already has an active signing key, ${first.old.keyId}`,
        hint: expect.stringContaining('appctl keys rotate --product player'),
      }),
    ]);
    expect(existsSync(at('other.key'))).toBe(false);
    const { stderr } = await run(`${second} --next -n`);
    expect(stderr).not.toContain('release sign');
    const other = await answer(`${second} --next`);
    expect(other).toMatchObject({ status: 'NEXT' });
    const named = await answer(`keys rotate --product player --to ${other.keyId}`);
    expect(named.next).toMatchObject({ keyId: other.keyId, status: 'NEXT', serverHeld: false });
  });

  test('without a passphrase of its own the new key gets that of the old one', async () => {
    await answer('keys generate --product rotor --passphrase-env OLD --out rotor.key --force', { env });
    await answer(`${rotate} --out follow.key`, { env });
    expect(JSON.parse(readFileSync(at('follow.key'), 'utf8')).kind).toBe('appctl-private-key');
    await answer('release sign b.zip --key follow.key --passphrase-env OLD --force', { env });
  });

  test.each([
    ['keys rotate', 2, '--product is required'],
    ['keys rotate --product unknown', 3, 'unknown'],
    ['keys rotate --product viewer', 5, 'no ACTIVE key'],
    ['keys rotate --product editor', 2, '--key FILE'],
    ['keys rotate --product editor --key rotor.key', 4, 'no passphrase was given'],
    ['keys rotate --product editor --key mine.key', 2, 'mine.key'],
    ['keys rotate --product editor --activate-at never', 2, '--activate-at'],
    ['keys rotate --product editor --activate-at 2027-01-01 --overlap 3d', 2, '--overlap'],
    ['keys rotate --product editor --overlap soon', 2, '--overlap'],
    ['keys rotate --product player --overlap 0s', 2, 'has passed'],
    ['keys rotate --product player --key other.key --out ./other.key --force', 2, 'file of the old key'],
    ['keys rotate --product player --out a.key --server-held', 2, '--out cannot be used with'],
    ['keys rotate --product player --to 0123456789abcdef', 3, '0123456789abcdef'],
    ['keys rotate --product player --to 0123456789abcdef --comment x', 2, '--comment is for a new key'],
    ['keys activate 0123456789abcdef', 3, '0123456789abcdef'],
    ['keys retire 0123456789abcdef --yes', 3, '0123456789abcdef'],
  ])('%s ends with %i', async (line, expected, says) => {
    const { code, stdout, stderr } = await run(line);
    expect([code, stdout]).toEqual([expected, '']);
    expect(stderr).toContain(says);
  });
});
