// A backup made beside a server, and what is restored from it, in either direction between the databases.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { loadConfig } from '#kernel/config/load.ts';
import { lockFile } from '#kernel/db/server-lock.ts';
import { holdTarget } from '../../src/app/backup/hold-target.ts';
import { presentState } from '../../src/app/backup/target.ts';
import { alterArchive } from '../support/altered-archive.ts';
import { runInside } from '../support/cli-inside.ts';
import { errorOf } from '../support/cli-process.ts';
import { type Copying, change, killedAfter, openCopying, rowsOf } from '../support/copying.ts';
import { startServer } from '../support/server-process.ts';

let copying: Copying;
beforeAll(async () => {
  copying = await openCopying();
}, 240_000);
afterAll(() => copying.close());

let targets = 0;

/** An empty data directory beside a database of either kind. */
async function newPlace(url?: string) {
  targets += 1;
  const dataDir = join(copying.folder, `there-${targets}`);
  return { APPCTL_DATA_DIR: dataDir, APPCTL_DATABASE_URL: url ?? `sqlite:${join(dataDir, 'appctl.db')}` };
}

const run = (words: readonly string[], env: Record<string, string> = copying.envOf(), input?: string) =>
  runInside(words, { cwd: copying.folder, env, ...(input !== undefined && { input }) });
const key = () => join(copying.envOf().APPCTL_DATA_DIR, 'master.key');

async function backedUp(name: string, args: readonly string[] = []): Promise<string> {
  const file = join(copying.folder, name);
  rmSync(file, { force: true });
  const made = await run(['backup', 'create', '--out', file, '--json', ...args]);
  expect([made.code, made.code === 0 ? '' : made.stderr]).toEqual([0, '']);
  return file;
}

/** Every row but those that a restore changes: sessions end, and a backup does not know itself. */
async function contents(url: string): Promise<Record<string, string[]>> {
  const { sessions: _, alert_servers: __, settings = [], ...rest } = await rowsOf(url);
  return { ...rest, settings: settings.filter((row) => !row.includes('system.last_backup')) };
}

test('a backup under writes restores with equal rows into either database, and says what it holds', async () => {
  const { app } = copying;
  let writes = 0;
  let longestMs = 0;
  let isOver = false;
  const writing = (async () => {
    while (!isOver) {
      const startedMs = performance.now();
      await app.license();
      longestMs = Math.max(longestMs, performance.now() - startedMs);
      writes += 1;
    }
  })();
  const file = await backedUp('busy.tar.zst').finally(() => {
    isOver = true;
  });
  await writing;
  expect(writes).toBeGreaterThan(5);
  const sqlite = await newPlace();
  const first = await run(['restore', file, '--master-key-file', key(), '--json'], sqlite);
  expect([first.code, first.code === 0 ? '' : first.stderr]).toEqual([0, '']);
  const there = await contents(sqlite.APPCTL_DATABASE_URL);
  const licenses = there.licenses?.length ?? 0;
  const now = (await contents(copying.url)).licenses?.length ?? 0;
  expect(licenses).toBeLessThanOrEqual(now);
  expect(now - licenses).toBeLessThanOrEqual(writes);
  // From one kind of database into the other, by way of a backup of the copy.
  if (inject('databaseKind') !== 'postgres') return;
  const postgres = await newPlace(await copying.newTarget());
  const second = await run(['restore', file, '--master-key-file', key(), '--json'], postgres);
  expect([second.code, second.code === 0 ? '' : second.stderr]).toEqual([0, '']);
  expect(await contents(postgres.APPCTL_DATABASE_URL)).toEqual(there);
  const doctor = await run(['doctor', '--json'], postgres);
  expect(doctor.code).toBe(0);
}, 240_000);

test('a restored installation serves what it had: doctor finds nothing wrong and keys are readable', async () => {
  const file = await backedUp('quiet.tar.zst');
  const place = await newPlace();
  expect((await run(['restore', file, '--master-key-file', key()], place)).code).toBe(0);
  expect(await contents(place.APPCTL_DATABASE_URL)).toEqual(await contents(copying.url));
  const doctor = await run(['doctor', '--json'], place);
  expect([
    doctor.code,
    JSON.parse(doctor.stdout).filter?.((one: { status: string }) => one.status === 'fail') ?? [],
  ]).toEqual([0, []]);
  const shown = await run(['license', 'show', copying.license.id, '--reveal', '--json'], place);
  expect(JSON.parse(shown.stdout).key).toBe(copying.license.key);
}, 120_000);

test('a filled database is replaced with its name only, and what was there can be restored', async () => {
  const file = await backedUp('over.tar.zst');
  const place = await newPlace(await copying.newTarget());
  await run(['setup', '--owner-email', 'b@x.test', '--generate-password'], place);
  const before = await contents(place.APPCTL_DATABASE_URL);
  for (const args of [[], ['--yes'], ['--confirm', 'shop']]) {
    const refused = await run(['restore', file, '--master-key-file', key(), '--json', ...args], place);
    expect([refused.code, errorOf(refused).message]).toEqual([10, expect.stringMatching(/holds 0 licenses/)]);
  }
  expect(await contents(place.APPCTL_DATABASE_URL)).toEqual(before);
  const words = ['restore', file, '--master-key-file', key(), '--confirm', 'appctl', '--json'];
  const done = await run(words, place);
  expect([done.code, done.code === 0 ? '' : done.stderr]).toEqual([0, '']);
  const { previous } = JSON.parse(done.stdout);
  expect(previous).toMatch(/pre-restore\.tar\.zst$/);
  expect(await contents(place.APPCTL_DATABASE_URL)).toEqual(await contents(copying.url));
  const aside =
    readdirSync(place.APPCTL_DATA_DIR).find((name) => name.startsWith('master.key.pre-restore-')) ?? '';
  const oldKey = join(place.APPCTL_DATA_DIR, aside);
  const back = await run(
    ['restore', previous, '--master-key-file', oldKey, '--confirm', 'appctl', '--json'],
    place,
  );
  expect([back.code, back.code === 0 ? '' : back.stderr]).toEqual([0, '']);
  expect(Object.keys(await contents(place.APPCTL_DATABASE_URL))).toEqual(Object.keys(before));
}, 240_000);

test('a backup with another master key, or none, is refused, and a newer schema is', async () => {
  const file = await backedUp('key.tar.zst');
  const place = await newPlace();
  const none = await run(['restore', file, '--json'], place);
  expect([none.code, errorOf(none).message]).toEqual([
    5,
    expect.stringMatching(/belongs to master key \w{8}/),
  ]);
  const other = join(copying.folder, 'other.key');
  writeFileSync(other, `${'ab'.repeat(32)}\n`, { mode: 0o600 });
  const wrong = await run(['restore', file, '--master-key-file', other, '--json'], place);
  expect([wrong.code, errorOf(wrong).hint]).toEqual([5, expect.stringContaining('--master-key-file')]);
  expect(existsSync(join(place.APPCTL_DATA_DIR, 'appctl.db'))).toBe(false);
  const later = { name: '9999-later', at: '2026-01-01T00:00:00.000Z', ms: 0, checksum: 'x' };
  const copy = copying.newFile();
  expect((await copying.copy(copy)).code).toBe(0);
  await change(copy, (knex) => knex('schema_migrations').insert(later));
  const newer = join(copying.folder, 'newer.tar.zst');
  const made = await run(['backup', 'create', '--out', newer, '--json'], copying.envOf(copy));
  expect([made.code, errorOf(made).message]).toEqual([5, expect.stringContaining('9999-later')]);
}, 120_000);

test('a backup that names another owner than its database has is refused, and nothing is written', async () => {
  const file = await backedUp('owner.tar.zst');
  const altered = join(copying.folder, 'altered.tar.zst');
  await alterArchive(file, altered, {});
  expect((await run(['backup', 'verify', altered])).code).toBe(0);
  const place = await newPlace();
  for (const [origin, words] of [
    [{ installation: 'ins_01ARZ3NDEKTSV4RRFFQ69G5FAV' }, /names the installation ins_01ARZ\w+, but/],
    [{ installation: '../../../x' }, /names the installation \.\..*, but/],
    [{ installation: null }, /names the installation none, but/],
    [{ masterKeyId: null }, /names the master key none, but/],
    [{ masterKeyId: 'abababab' }, /names the master key abababab, but/],
  ] as const) {
    await alterArchive(file, altered, { origin });
    const checked = await run(['backup', 'verify', altered, '--json']);
    expect([checked.code, JSON.parse(checked.stdout)]).toEqual([
      6,
      { ok: false, problems: [expect.stringMatching(words)], manifest: null },
    ]);
    const refused = await run(['restore', altered, '--master-key-file', key(), '--json'], place);
    expect([refused.code, errorOf(refused).message]).toEqual([6, expect.stringMatching(words)]);
  }
  for (const name of ['installation', 'appctl.db', 'master.key', 'restore.json'])
    expect([name, existsSync(join(place.APPCTL_DATA_DIR, name))]).toEqual([name, false]);
}, 120_000);

test('waiting events are restored with the database, and one that no shop sends is refused', async () => {
  const file = await backedUp('waiting.tar.zst');
  const altered = join(copying.folder, 'waiting-more.tar.zst');
  const event = (n: number) => `spool/payments/01ARZ3NDEKTSV4RRFFQ69G5FA${n}.json`;
  const more = Object.fromEntries([1, 2, 3].map((n) => [event(n), Buffer.from(`{"event":${n}}`)]));
  await alterArchive(file, altered, { more });
  const place = await newPlace();
  const words = ['restore', altered, '--master-key-file', key(), '--json'];
  expect((await run([...words, '--only', 'media'], place)).code).toBe(0);
  expect(existsSync(join(place.APPCTL_DATA_DIR, 'spool'))).toBe(false);
  const done = await run(words, place);
  expect([done.code, done.code === 0 ? '' : done.stderr]).toEqual([0, '']);
  for (const [name, bytes] of Object.entries(more)) {
    const path = join(place.APPCTL_DATA_DIR, name);
    expect([readFileSync(path).equals(bytes), statSync(path).mode & 0o777]).toEqual([true, 0o600]);
  }
  expect(readdirSync(join(place.APPCTL_DATA_DIR, 'backup-work'))).toEqual([]);
  await alterArchive(file, altered, { more: { ...more, [event(4)]: Buffer.alloc(16 * 1024 ** 2 + 1) } });
  const other = await newPlace();
  const refused = await run(words, other);
  expect([refused.code, errorOf(refused).message]).toEqual([6, expect.stringContaining('is too large')]);
  expect(existsSync(join(other.APPCTL_DATA_DIR, 'spool'))).toBe(false);
  expect(readdirSync(join(other.APPCTL_DATA_DIR, 'backup-work'))).toEqual([]);
}, 120_000);

test('a file whose name is the digest of other bytes is found by verify', async () => {
  const file = await backedUp('digests.tar.zst');
  const altered = join(copying.folder, 'digests-more.tar.zst');
  const bytes = Buffer.from('a bundle');
  const digest = createHash('sha256').update(bytes).digest('hex');
  const named = (sha256: string) => `bundles/${sha256.slice(0, 2)}/${sha256}`;
  await alterArchive(file, altered, { more: { [named(digest)]: bytes } });
  expect((await run(['backup', 'verify', altered])).code).toBe(0);
  const other = named('ab'.repeat(32));
  await alterArchive(file, altered, { more: { [named(digest)]: bytes, [other]: bytes } });
  const checked = await run(['backup', 'verify', altered, '--json']);
  expect([checked.code, JSON.parse(checked.stdout)]).toEqual([
    6,
    { ok: false, problems: [expect.stringContaining(`the bytes of ${other} are not`)], manifest: null },
  ]);
}, 120_000);

test('of two restores into an empty place one is refused, and what the other restored is whole', async () => {
  const file = await backedUp('twice.tar.zst');
  const place = await newPlace();
  // Held as a restore that is under way holds it, from before there is a database.
  mkdirSync(place.APPCTL_DATA_DIR, { mode: 0o700 });
  const database = join(place.APPCTL_DATA_DIR, 'appctl.db');
  const words = ['restore', file, '--master-key-file', key(), '--json'];
  const lock = await lockFile(database, place.APPCTL_DATA_DIR);
  const refused = await run(words, place);
  expect([refused.code, errorOf(refused).message]).toEqual([5, expect.stringContaining('process')]);
  expect(existsSync(database)).toBe(false);
  await lock.release();
  const { config } = await loadConfig({ env: place, cwd: copying.folder });
  const before = await presentState(config);
  expect((await run(words, place)).code).toBe(0);
  await expect(holdTarget(config, before)).rejects.toMatchObject({ code: 'CONFLICT' });
  expect(await contents(place.APPCTL_DATABASE_URL)).toEqual(await contents(copying.url));
}, 120_000);

test('a server keeps a restore away', async () => {
  const file = await backedUp('served.tar.zst');
  const place = await newPlace(await copying.newTarget());
  const server = await startServer([], { cwd: copying.folder, env: place });
  try {
    for (const env of [place, { ...place, APPCTL_DATA_DIR: join(copying.folder, 'beside') }]) {
      const words = ['restore', file, '--master-key-file', key(), '--confirm', 'appctl', '--json'];
      const refused = await run(words, env);
      expect([refused.code, errorOf(refused).message]).toEqual([
        5,
        expect.stringMatching(/is already served by|server is running|is in use by/),
      ]);
    }
  } finally {
    await server.stop();
  }
}, 60_000);

test('an encrypted backup opens with its key or passphrase alone, and brings the master key along', async () => {
  const identity = join(copying.folder, 'backup.key');
  const made = await run(['backup', 'keygen', '--out', identity, '--json']);
  const { publicKey } = JSON.parse(made.stdout);
  expect(statSync(identity).mode & 0o777).toBe(0o600);
  const file = await backedUp('to-key.tar.zst.age', ['--encrypt-to', publicKey]);
  const place = await newPlace();
  for (const args of [[], ['--passphrase-env', 'PASS']]) {
    const refused = await run(['restore', file, '--json', ...args], { ...place, PASS: 'wrong' });
    expect([refused.code, errorOf(refused).message]).toEqual([4, expect.stringContaining('encrypted')]);
  }
  expect((await run(['restore', file, '--identity', identity], place)).code).toBe(0);
  expect(readFileSync(join(place.APPCTL_DATA_DIR, 'master.key'), 'utf8')).toBe(readFileSync(key(), 'utf8'));
  expect(await contents(place.APPCTL_DATABASE_URL)).toEqual(await contents(copying.url));
  const env = { ...copying.envOf(), PASS: 'a pass phrase' };
  const sealed = join(copying.folder, 'pass.tar.zst.age');
  expect((await run(['backup', 'create', '--out', sealed, '--passphrase-env', 'PASS'], env)).code).toBe(0);
  expect((await run(['backup', 'verify', sealed, '--passphrase-env', 'PASS'], env)).code).toBe(0);
  expect(
    (await run(['backup', 'verify', sealed, '--passphrase-env', 'PASS'], { ...env, PASS: 'no' })).code,
  ).toBe(4);
}, 120_000);

test('no secret is in an open backup, and ordinary tools unpack it', async () => {
  const file = await backedUp('open.tar.zst');
  const folder = join(copying.folder, 'unpacked');
  mkdirSync(folder);
  execFileSync('sh', ['-c', `zstd -dqc "${file}" | tar x -C "${folder}"`]);
  const seen = [readFileSync(key(), 'utf8').trim(), copying.license.key, copying.secret];
  const all = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  for (const { parentPath, name } of all) {
    const text = readFileSync(join(parentPath, name)).toString('latin1');
    for (const secret of seen) expect(text.includes(secret), `${name} holds a secret`).toBe(false);
  }
  expect(all.map(({ name }) => name)).toContain('database.sqlite');
});

test('backups in the place are listed, checked by name and pruned by the rules', async () => {
  const env = { ...copying.envOf(), APPCTL_BACKUP_DIR: join(copying.folder, 'kept') };
  for (const args of [[], ['--label', 'before-import'], []])
    expect((await run(['backup', 'create', ...args], env)).code).toBe(0);
  const { items } = JSON.parse((await run(['backup', 'list', '--json'], env)).stdout);
  expect(items).toHaveLength(3);
  expect(items.every((one: { verified: boolean }) => one.verified)).toBe(true);
  expect((await run(['backup', 'verify', items[0].file], env)).code).toBe(0);
  const plan = await run(['backup', 'prune', '--dry-run', '--json'], env);
  expect(JSON.parse(plan.stdout)).toMatchObject({ removed: [items[2].file], kept: 2, dryRun: true });
  expect((await run(['backup', 'prune'], env)).code).toBe(10);
  expect((await run(['backup', 'prune', '--yes'], env)).code).toBe(0);
  expect(JSON.parse((await run(['backup', 'list', '--json'], env)).stdout).items).toHaveLength(2);
}, 120_000);

test('a restore that is killed leaves the old state, the new one, or says what to run', async () => {
  const file = await backedUp('killed.tar.zst');
  const wanted = await contents(copying.url);
  for (const ms of [300, 900, 1100, 1300, 1500, 1700, 1900, 2200]) {
    const place = await newPlace();
    await run(['setup', '--owner-email', 'b@x.test', '--generate-password'], place);
    const before = await contents(place.APPCTL_DATABASE_URL);
    const words = ['restore', file, '--master-key-file', key(), '--confirm', 'appctl'];
    await killedAfter(words, { cwd: copying.folder, env: place }, ms);
    const status = await run(['migrate', 'status', '--json'], place);
    if (status.code === 78) {
      expect(errorOf(status).hint).toContain('appctl restore --continue');
      expect((await run(['restore', '--continue'], place)).code).toBe(0);
    }
    const after = await contents(place.APPCTL_DATABASE_URL);
    const isOld = JSON.stringify(after.admin_users) === JSON.stringify(before.admin_users);
    if (!isOld) expect(after, `${ms} ms`).toEqual(wanted);
    expect((await run(['db', 'check'], place)).code, `${ms} ms`).toBe(0);
    expect((await run(words, place)).code, `${ms} ms`).toBe(0);
    expect(await contents(place.APPCTL_DATABASE_URL)).toEqual(wanted);
    expect(readdirSync(join(place.APPCTL_DATA_DIR, 'backup-work'))).toEqual([]);
  }
}, 300_000);

test('a restore that stopped in the middle of replacing is finished, and nothing starts before', async () => {
  const file = await backedUp('half.tar.zst');
  const place = await newPlace();
  expect((await run(['restore', file, '--master-key-file', key()], place)).code).toBe(0);
  const database = join(place.APPCTL_DATA_DIR, 'appctl.db');
  renameSync(database, `${database}.restore-next`);
  writeFileSync(database, 'an old database');
  writeFileSync(`${database}-wal`, 'of the old one');
  const { installation } = JSON.parse(readFileSync(`${file}.json`, 'utf8'));
  const { masterKeyId } = JSON.parse(readFileSync(`${file}.json`, 'utf8'));
  const swap = {
    backup: file,
    databaseFile: database,
    hasMasterKey: false,
    installation: { id: installation, masterKeyId },
    stamp: 'x',
  };
  writeFileSync(join(place.APPCTL_DATA_DIR, 'restore.json'), JSON.stringify(swap), { mode: 0o600 });
  for (const words of [
    ['license', 'list'],
    ['setup', '--owner-email', 'c@x.test', '--generate-password'],
    ['migrate', 'up'],
  ]) {
    const refused = await run([...words, '--json'], place);
    expect([refused.code, errorOf(refused).hint]).toEqual([
      78,
      expect.stringContaining('restore --continue'),
    ]);
  }
  expect((await run(['restore', '--continue'], place)).code).toBe(0);
  expect(await contents(place.APPCTL_DATABASE_URL)).toEqual(await contents(copying.url));
}, 60_000);
