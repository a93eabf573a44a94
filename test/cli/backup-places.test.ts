// Backups in a bucket, by the job of a server, at a signal, and on a full disk's edge: what the server does by itself.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runInside } from '../support/cli-inside.ts';
import { errorOf } from '../support/cli-process.ts';
import { type S3Server, startS3Server } from '../support/s3-server.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { eventually, startServer } from '../support/server-process.ts';

const folder = scratchFolder('appctl-places-');
let s3: S3Server;
beforeAll(async () => {
  s3 = await startS3Server();
  await runInside(['setup', '--owner-email', 'a@x.test', '--generate-password'], { cwd: folder });
}, 120_000);
afterAll(() => s3.close());

const run = (words: readonly string[], env: Record<string, string> = {}) =>
  runInside(words, { cwd: folder, env });
const bucket = (name = 'bundles') => ({
  APPCTL_BACKUP_DIR: `s3://${name}/kept?endpoint=${encodeURIComponent(s3.endpoint)}`,
  APPCTL_BACKUP_S3_ACCESS_KEY_ID: 'S3RVER',
  APPCTL_BACKUP_S3_SECRET_ACCESS_KEY: 'S3RVER',
});

test('a bucket keeps backups, which are read back, listed, verified, restored and pruned', async () => {
  const made = await run(['backup', 'create', '--json'], bucket());
  expect([made.code, made.code === 0 ? '' : made.stderr]).toEqual([0, '']);
  expect(JSON.parse(made.stdout).file).toMatch(/^s3:\/\/bundles\/kept\/appctl-backup-.*\.tar\.zst$/);
  expect((await run(['backup', 'create'], bucket())).code).toBe(0);
  const { items } = JSON.parse((await run(['backup', 'list', '--json'], bucket())).stdout);
  expect(items.map((one: { verified: boolean }) => one.verified)).toEqual([true, true]);
  const { file } = items[0];
  expect((await run(['backup', 'verify', file], bucket())).code).toBe(0);
  const there = { ...bucket(), APPCTL_DATA_DIR: join(folder, 'restored') };
  const back = await run(
    ['restore', file, '--master-key-file', join(folder, 'data/master.key'), '--json'],
    there,
  );
  expect([back.code, back.code === 0 ? '' : back.stderr]).toEqual([0, '']);
  expect((await run(['backup', 'prune', '--yes', '--json'], bucket())).code).toBe(0);
  expect(JSON.parse((await run(['backup', 'list', '--json'], bucket())).stdout).items).toHaveLength(1);
}, 120_000);

test('a bucket that is missing says so with the setting that names it', async () => {
  const failed = await run(['backup', 'create', '--json'], bucket('nowhere'));
  expect([failed.code, errorOf(failed).message, errorOf(failed).hint]).toEqual([
    9,
    expect.stringContaining('bucket nowhere was not found'),
    expect.stringContaining('backup.dir'),
  ]);
  expect(readdirSync(join(folder, 'data/backup-work'))).toEqual([]);
});

test('a large archive goes in parts and arrives whole', async () => {
  const { openBackupPlace } = await import('#platform/backup/index.ts');
  const { loadConfig } = await import('#kernel/config/load.ts');
  const { createHash, randomBytes } = await import('node:crypto');
  const { config } = await loadConfig({ env: bucket(), cwd: folder });
  const place = await openBackupPlace(config);
  const path = join(folder, 'large');
  const bytes = Buffer.concat(Array.from({ length: 80 }, () => randomBytes(1024 ** 2)));
  writeFileSync(path, bytes);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  await place.put('stream/large', { path, size: bytes.length, sha256 });
  const sum = createHash('sha256');
  for await (const chunk of (await place.read('stream/large')) ?? []) sum.update(chunk);
  expect(sum.digest('hex')).toBe(sha256);
  const part: Uint8Array[] = [];
  for await (const chunk of (await place.read('stream/large', [10, 19])) ?? []) part.push(chunk);
  expect(Buffer.concat(part)).toEqual(bytes.subarray(10, 20));
  await place.remove('stream/large');
  expect(await place.read('stream/large')).toBeNull();
}, 120_000);

test('a server backs up at SIGUSR1 and by its job, and status and doctor know', async () => {
  const env = { APPCTL_DATA_DIR: join(folder, 'data'), APPCTL_BACKUP_KEEP: '1,1,1' };
  const server = await startServer([], { cwd: folder, env });
  const place = join(folder, 'data/backups');
  const archives = () =>
    existsSync(place) ? readdirSync(place).filter((name) => name.endsWith('.zst.json')) : [];
  try {
    expect((await run(['doctor', 'db.backup-age', '--json'], env)).code).toBe(0);
    server.child.kill('SIGUSR1');
    await eventually(() => archives().length === 1);
    const ran = await run(['jobs', 'run', 'backup', '--wait', '--json'], env);
    expect(JSON.parse(ran.stdout)).toMatchObject({ status: 'ok', result: { deleted: 1 } });
    expect(archives()).toHaveLength(1);
    const { createdAt } = JSON.parse(readFileSync(join(place, archives()[0] ?? ''), 'utf8'));
    const lastBackupAt = async () =>
      JSON.parse((await run(['status', '--json'], env)).stdout).lastBackupAt as string | null;
    expect(await lastBackupAt()).toBe(createdAt);
    for (const name of readdirSync(place)) rmSync(join(place, name));
    expect(await lastBackupAt()).toBeNull();
    const { items } = JSON.parse((await run(['jobs', 'list', '--json'], env)).stdout);
    const job = items.find((one: { name: string }) => one.name === 'backup');
    expect(job).toMatchObject({
      schedule: '0 3 * * * (UTC)',
      nextRunAt: expect.stringMatching(/T03:00:00\.000Z$/),
    });
  } finally {
    await server.stop();
  }
  const off = await run(['jobs', 'list', '--json'], { ...env, APPCTL_BACKUP_SCHEDULE: 'off' });
  const job = JSON.parse(off.stdout).items.find((one: { name: string }) => one.name === 'backup');
  expect(job).toMatchObject({ schedule: 'off', nextRunAt: null });
}, 120_000);

test('what a backup that was killed left is removed by the next one', async () => {
  const { spawn } = await import('node:child_process');
  const { program } = await import('../support/cli-process.ts');
  const env = { PATH: '/usr/bin:/bin', HOME: folder, APPCTL_DATA_DIR: join(folder, 'data') };
  const child = spawn(process.execPath, [program, 'backup', 'create'], { cwd: folder, env, stdio: 'ignore' });
  const work = join(folder, 'data/backup-work');
  const isHeld = () => readdirSync(work).some((name) => existsSync(join(work, name, 'lock')));
  await eventually(() => existsSync(work) && isHeld());
  child.kill('SIGKILL');
  await new Promise((resolve) => child.once('close', resolve));
  expect(readdirSync(work)).toHaveLength(1);
  expect((await run(['backup', 'create'], { APPCTL_DATA_DIR: join(folder, 'data') })).code).toBe(0);
  expect(readdirSync(work)).toEqual([]);
}, 60_000);
