// A place with an executable, its database and a vendor, for tests of upgrades with real processes.
import { execFile, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { isAlive } from '#kernel/process-identity.ts';
import type { Journal } from '../../src/app/upgrade/journal.ts';
import { placeOf } from '../../src/app/upgrade/place.ts';
import { freshDatabaseUrl } from './database.ts';
import { copyNewer, type Health, newVendor, writeCurrent, writeNewer } from './newer-program.ts';
import { scratchFolder } from './scratch-folder.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import type { UpgradeWork } from './upgrade-process.ts';

export const vendor = newVendor();
export const CURRENT_VERSION = '0.1.0';
let copy: string;
let newer: string;
export let cwd: string;
export let exe: string;
export let file: string;
let database: Awaited<ReturnType<typeof freshDatabaseUrl>>;
let pids: number[];

/** Makes the place for each test of a file; the file calls it, since this module is loaded once for several files. */
export function useUpgradeWorld(): void {
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
}

export const env = () => ({
  APPCTL_DATABASE_URL: database.url,
  APPCTL_UPDATE_PUBKEY: vendor.publicKey,
  APPCTL_LOG_LEVEL: 'warn',
});

export async function offered(health: Health): Promise<void> {
  writeNewer(file, newer, health);
  await vendor.sign(file);
}

/** Serves with the executable that is in place. */
export async function begin(command: readonly string[] = [exe]): Promise<ServerProcess> {
  const server = await startServer([], { cwd, env: env(), command });
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
export function upgrade(does: UpgradeWork['does'], more: Partial<UpgradeWork> = {}): Promise<Came> {
  const script = join(import.meta.dirname, 'upgrade-process.ts');
  const work: UpgradeWork = { does, exe, file, ...more };
  const child = spawn(process.execPath, [script, JSON.stringify(work)], {
    cwd,
    env: { PATH: `${join(cwd, 'tools')}:/usr/bin:/bin`, HOME: cwd, ...env() },
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
export async function json<T>(words: readonly string[]): Promise<T> {
  const environment = { PATH: '/usr/bin:/bin', HOME: cwd, ...env() };
  const run = promisify(execFile)(exe, [...words, '--json'], { cwd, env: environment });
  // Pending migrations end with another code.
  const { stdout } = await run.catch((error: { stdout: string; stderr: string }) => error);
  return JSON.parse(stdout) as T;
}
export const status = () => json<{ version: string; pid: number | null }>(['status']);
export const migrationsOf = async () =>
  (await json<{ applied: { name: string }[]; unknown: string[] }>(['migrate', 'status'])).applied.map(
    ({ name }) => name,
  );
export const journal = () => JSON.parse(readFileSync(placeOf(exe).journal, 'utf8')) as Journal;
export const addProduct = () => json(['product', 'create', '--name', 'Editor', '--slug', 'editor']);
export const products = async () =>
  (await json<{ items: { slug: string }[] }>(['product', 'list'])).items.map(({ slug }) => slug);
