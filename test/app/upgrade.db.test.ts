// Upgrades of a running server, with real processes: forward, back by itself, back on request, and killed between.
import { execFile, spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { isAlive } from '#kernel/process-identity.ts';
import type { Journal } from '../../src/app/upgrade/journal.ts';
import { placeOf } from '../../src/app/upgrade/place.ts';
import { runCli } from '../support/cli-process.ts';
import { freshDatabaseUrl } from '../support/database.ts';
import {
  copyNewer,
  type Health,
  NEWER_MIGRATION,
  NEWER_VERSION,
  newVendor,
  writeCurrent,
  writeNewer,
} from '../support/newer-program.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import type { UpgradeWork } from '../support/upgrade-process.ts';

const vendor = newVendor();
const CURRENT_VERSION = '0.1.0';
let copy: string;
let newer: string;
let cwd: string;
let exe: string;
let file: string;
let database: Awaited<ReturnType<typeof freshDatabaseUrl>>;
let pids: number[];
beforeAll(() => {
  copy = scratchFolder('appctl-newer-');
  newer = copyNewer(copy);
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));
beforeEach(async () => {
  cwd = scratchFolder('appctl-upgrade-');
  mkdirSync(join(cwd, 'bin'));
  exe = join(cwd, 'bin/appctl');
  file = join(cwd, 'appctl-new');
  writeCurrent(exe);
  database = await freshDatabaseUrl();
  pids = [];
});
afterEach(async () => {
  for (const pid of [...pids, (await status().catch(() => null))?.pid ?? 0])
    if (pid > 0 && isAlive(pid)) process.kill(pid, 'SIGKILL');
  await database.drop();
  rmSync(cwd, { recursive: true, force: true });
});

const env = () => ({
  APPCTL_DATABASE_URL: database.url,
  APPCTL_UPDATE_PUBKEY: vendor.publicKey,
  APPCTL_LOG_LEVEL: 'warn',
});

async function offered(health: Health): Promise<void> {
  writeNewer(file, newer, health);
  await vendor.sign(file);
}

/** Serves with the executable that is in place. */
async function begin(): Promise<ServerProcess> {
  const server = await startServer([], { cwd, env: env(), command: [exe] });
  pids.push(server.child.pid as number);
  return server;
}

interface Came {
  done?:
    | { journal: Journal; restarted: { pid: number } | null; way?: string; backup?: string | null }
    | string;
  failed?: { message: string; code: string; details: Record<string, unknown> };
  signal: NodeJS.Signals | null;
}

/** @returns what came of it; nothing but the signal when it died */
function upgrade(does: UpgradeWork['does'], more: Partial<UpgradeWork> = {}): Promise<Came> {
  const script = join(import.meta.dirname, '../support/upgrade-process.ts');
  const work: UpgradeWork = { does, exe, file, ...more };
  const child = spawn(process.execPath, [script, JSON.stringify(work)], {
    cwd,
    env: { PATH: '/usr/bin:/bin', HOME: cwd, ...env() },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });
  return new Promise((resolve) =>
    child.once('close', (_code, signal) => resolve({ signal, ...(text && (JSON.parse(text) as object)) })),
  );
}

/** By the executable that is in place. */
async function json<T>(words: readonly string[]): Promise<T> {
  const environment = { PATH: '/usr/bin:/bin', HOME: cwd, ...env() };
  const run = promisify(execFile)(exe, [...words, '--json'], { cwd, env: environment });
  // Pending migrations end with another code.
  const { stdout } = await run.catch((error: { stdout: string; stderr: string }) => error);
  return JSON.parse(stdout) as T;
}
const status = () => json<{ version: string; pid: number | null }>(['status']);
const migrationsOf = async () =>
  (await json<{ applied: { name: string }[]; unknown: string[] }>(['migrate', 'status'])).applied.map(
    ({ name }) => name,
  );
const journal = () => JSON.parse(readFileSync(placeOf(exe).journal, 'utf8')) as Journal;
const addProduct = () => json(['product', 'create', '--name', 'Editor', '--slug', 'editor']);
const products = async () =>
  (await json<{ items: { slug: string }[] }>(['product', 'list'])).items.map(({ slug }) => slug);

test('the running server goes on as the newer version, and back after it was stopped', async () => {
  const server = await begin();
  await offered('sound');
  await addProduct();
  const came = (await upgrade('apply')).done;
  if (typeof came !== 'object') throw new Error(String(came));
  expect(came.journal).toMatchObject({ state: 'done', from: { version: CURRENT_VERSION }, back: 'convert' });
  expect(came.journal.backup).toMatch(/^appctl-backup-.*-pre-upgrade\.tar\.zst$/);
  const now = await status();
  expect(now).toMatchObject({ version: NEWER_VERSION, pid: came.restarted?.pid });
  expect(now.pid).not.toBe(server.child.pid);
  const health = (await (await fetch(new URL('/api/health', server.url))).json()) as object;
  expect(health).toMatchObject({ success: true, status: 'ok' });
  expect(await migrationsOf()).toContain(NEWER_MIGRATION);
  process.kill(now.pid as number, 'SIGTERM');
  await expect.poll(() => isAlive(now.pid as number), { timeout: 20_000 }).toBe(false);
  expect((await upgrade('rollback')).done).toMatchObject({ way: 'converted', backup: expect.any(String) });
  expect(journal().state).toBe('undone');
  expect(existsSync(placeOf(exe).next)).toBe(false);
  expect(await migrationsOf()).not.toContain(NEWER_MIGRATION);
  expect(await status()).toMatchObject({ version: CURRENT_VERSION });
  expect(await products()).toEqual(['editor']);
}, 240_000);

test.each(['ends-after-migrating'] as const)(
  'a newer version whose server %s is gone again, and the server of before never stopped',
  async (health) => {
    const server = await begin();
    await addProduct();
    await offered(health);
    const { failed } = await upgrade('apply');
    expect(failed).toMatchObject({ code: 'UPGRADE_FAILED', details: { rolledBack: true } });
    expect(failed?.message).toMatch(
      /^appctl 9\.0\.0 does not start: it ended with 3 after \d+ s\. appctl 0\.1\.0 is back/,
    );
    expect(await status()).toMatchObject({ version: CURRENT_VERSION, pid: server.child.pid });
    expect(await migrationsOf()).not.toContain(NEWER_MIGRATION);
    expect(await products()).toEqual(['editor']);
    expect([existsSync(placeOf(exe).next), existsSync(placeOf(exe).previous)]).toEqual([false, false]);
    expect(journal().state).toBe('undone');
  },
  240_000,
);

test.each([
  ['replacing the executable', 'sound', CURRENT_VERSION],
  ['starting the new version', 'sound', NEWER_VERSION],
  ['returning to the version before', 'ends-after-migrating', CURRENT_VERSION],
] as const)(
  'killed at "%s" (%s) the next start works, or says what to run',
  async (diesAt, health, version) => {
    const server = await begin();
    await addProduct();
    await offered(health);
    expect((await upgrade('apply', { diesAt })).signal).toBe('SIGKILL');
    await server.stop('SIGKILL');
    if (health === 'sound') {
      const next = await begin();
      expect(await status()).toMatchObject({ version, pid: next.child.pid });
      expect(await products()).toEqual(['editor']);
    }
    const again = existsSync(placeOf(exe).journal) ? await upgrade('continue') : await upgrade('apply');
    if (health === 'sound') {
      expect(again.done).toMatchObject({ journal: { state: 'done' } });
      expect(await status()).toMatchObject({ version: NEWER_VERSION });
    } else {
      // No server runs any more that could show what is wrong with the newer version.
      expect(again.done).toMatchObject({ journal: { state: 'done' }, restarted: null });
      expect((await upgrade('rollback')).done).toMatchObject({ way: 'converted' });
      await begin();
      expect(await status()).toMatchObject({ version });
    }
    expect(await products()).toEqual(['editor']);
  },
  240_000,
);

test('a rollback to the backup has what was there before, and keeps the rest in another one', async () => {
  const server = await begin();
  await server.stop();
  await offered('sound');
  expect((await upgrade('apply')).done).toMatchObject({ journal: { state: 'done' }, restarted: null });
  const migrated = await begin();
  await addProduct();
  await migrated.stop();
  expect(await upgrade('rollback', { back: 'restore' })).toMatchObject({ done: { way: 'restored' } });
  const { items } = await json<{ items: { label: string }[] }>(['backup', 'list']);
  expect(items.map(({ label }) => label)).toContain('pre-restore');
  await begin();
  expect([(await status()).version, await products()]).toEqual([CURRENT_VERSION, []]);
}, 240_000);

test('an older program refuses the newer schema, and names the backup that leads back', async () => {
  const server = await begin();
  await addProduct();
  await offered('sound');
  const { done } = await upgrade('apply');
  if (typeof done !== 'object') throw new Error(String(done));
  process.kill(done.restarted?.pid as number, 'SIGKILL');
  await server.stop('SIGKILL');
  writeCurrent(exe);
  const { code, stderr } = await runCli(['serve'], { cwd, env: env() });
  expect([code, stderr]).toEqual([
    5,
    expect.stringContaining(`the database was migrated by a newer appctl (it has ${NEWER_MIGRATION})`),
  ]);
  const cure =
    /appctl restore (\S+)( --no-backup)? --confirm appctl/.exec(stderr)?.[0].split(' ').slice(1) ?? [];
  const restored = await runCli(cure, { cwd, env: env() });
  expect([restored.code, restored.code === 0 ? '' : restored.stderr]).toEqual([0, '']);
  await begin();
  expect(await products()).toEqual(['editor']);
}, 240_000);

test('what is not a newer release for this machine is refused before anything changes', async () => {
  await offered('sound');
  const refused = async () => (await upgrade('apply')).failed;
  await vendor.sign(file, { version: '0.0.9' });
  expect(await refused()).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('not newer') });
  await vendor.sign(file, { arch: process.arch === 'x64' ? 'arm64' : 'x64' });
  expect(await refused()).toMatchObject({
    code: 'VERIFICATION_FAILED',
    message: expect.stringMatching(/is for (arm64|x64)/),
  });
  await vendor.sign(file, { product: 'editor' });
  expect(await refused()).toMatchObject({ code: 'VERIFICATION_FAILED' });
  await vendor.sign(file, null);
  expect(await refused()).toMatchObject({ message: expect.stringContaining('has no statement') });
  await newVendor().sign(file);
  expect(await refused()).toMatchObject({ code: 'VERIFICATION_FAILED' });
  // Signed, but another version than its statement says.
  await vendor.sign(file, { version: '9.1.0' });
  expect(await refused()).toMatchObject({ message: expect.stringContaining('says that it is 9.0.0') });
  await vendor.sign(file);
  copyFileSync(exe, file);
  expect(await refused()).toMatchObject({ code: 'VERIFICATION_FAILED' });
  expect([existsSync(placeOf(exe).journal), existsSync(placeOf(exe).next)]).toEqual([false, false]);
}, 240_000);
