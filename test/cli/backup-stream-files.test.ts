// Files beside the database in the stream of backups: whoever keeps one has it shipped, and a restore to a moment fetches
// what the restored rows name.
import { createHash, randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import sharp from 'sharp';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runInside } from '../support/cli-inside.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { eventually, type ServerProcess, startServer } from '../support/server-process.ts';

let folder: string;
let server: ServerProcess | null;
beforeEach(async () => {
  folder = scratchFolder('appctl-stream-files-');
  server = null;
  await run(['setup', '--owner-email', 'a@x.test', '--generate-password']);
});
afterEach(async () => {
  await server?.stop('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

type Env = Record<string, string>;
const ON: Env = { APPCTL_BACKUP_STREAM: 'on' };
const run = (words: readonly string[], env: Env = {}) => runInside(words, { cwd: folder, env });
const done = async (words: readonly string[], env: Env = {}) => {
  const ended = await run([...words, '--json'], env);
  expect([ended.code, ended.stderr]).toEqual([0, expect.anything()]);
  return JSON.parse(ended.stdout);
};
const serve = async (env: Env = ON): Promise<ServerProcess> =>
  (server = await startServer([], { cwd: folder, env }));
const at = (...path: string[]) => join(folder, 'data', ...path);

/** Paths of files below a folder. */
const filesBelow = (path: string): string[] =>
  (existsSync(path) ? readdirSync(path, { recursive: true, withFileTypes: true }) : [])
    .filter((one) => !one.isDirectory())
    .map((one) => join(one.parentPath, one.name))
    .sort();
const shipped = (): string[] => filesBelow(at('backups/stream/files'));
const shippedOf = (kind: 'bundles' | 'media' | 'original'): string[] =>
  shipped().filter((path) => basename(path).includes(`${kind}-`));
const hasBase = () => eventually(() => existsSync(at('backups/stream/bases')));
const waits = () => filesBelow(at('stream/files')).length;

/** Ships a release; another process than the server does, which knows nothing of a stream. */
let version = 0;
async function ship(): Promise<{ location: string; bytes: Buffer }> {
  const key = join(folder, 'release.key');
  if (!existsSync(key)) {
    await done(['product', 'create', '--name', 'editor', '--slug', 'editor']);
    await done(['keys', 'generate', '--product', 'editor', '--no-passphrase', '--out', key]);
  }
  version += 1;
  const bytes = randomBytes(100_000);
  const file = join(folder, `editor-${version}.bin`);
  writeFileSync(file, bytes);
  const about = ['--product', 'editor', '--version', `1.${version}.0`, '--key', key, '--yes'];
  await done(['release', 'ship', file, ...about]);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { location: `${sha256.slice(0, 2)}/${sha256}`, bytes };
}

async function sendPicture(): Promise<void> {
  const { secret } = await done([
    ...['apikey', 'create', '--service', 'store', '--name', 'shop', '--scope', 'products:write'],
  ]);
  const picture = sharp({ create: { width: 40, height: 30, channels: 3, background: '#246' } });
  const { status } = await fetch(`${server?.url}/api/store/media`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/octet-stream' },
    body: new Uint8Array(await picture.png().toBuffer()),
  });
  expect(status).toBe(201);
}

let count = 0;
/** Restores the last moment into a new data directory. */
async function restored(words: readonly string[] = []) {
  count += 1;
  const dataDir = join(folder, `restored-${count}`);
  const key = words.includes('--identity') ? [] : ['--master-key-file', at('master.key')];
  const ended = await run(['restore', '--at', 'now', ...key, ...words, '--json'], {
    APPCTL_BACKUP_DIR: at('backups'),
    APPCTL_DATA_DIR: dataDir,
  });
  const answer = ended.stdout === '' ? null : JSON.parse(ended.stdout);
  return { code: ended.code, dataDir, files: answer?.restored.files, missing: answer?.missing };
}

test('a bundle and a picture are there again after a restore; what is missing or altered is named', async () => {
  const before = await ship();
  await serve();
  await hasBase();
  await eventually(() => shippedOf('bundles').length === 1);
  const bundle = await ship();
  await sendPicture();
  await eventually(() => shippedOf('bundles').length === 2 && shippedOf('original').length === 1);
  await server?.stop();
  expect(waits()).toBe(0);
  const first = await restored();
  expect(first).toMatchObject({ code: 0, missing: [] });
  for (const { location, bytes } of [before, bundle])
    expect(readFileSync(join(first.dataDir, 'bundles', location)).equals(bytes)).toBe(true);
  const originals = (path: string) =>
    filesBelow(join(path, 'media')).filter((one) => one.endsWith('original'));
  expect(originals(first.dataDir).map((path) => readFileSync(path))).toEqual(
    originals(at()).map((path) => readFileSync(path)),
  );

  const path = shippedOf('bundles').find((one) => one.includes(bundle.location.slice(3))) as string;
  const whole = readFileSync(path);
  const altered = Buffer.from(whole);
  altered[whole.length - 5] = (whole[whole.length - 5] as number) ^ 1;
  const named = (reason: string) => ({
    code: 6,
    missing: [{ file: `bundles/${bundle.location}`, reason: expect.stringContaining(reason) }],
  });
  for (const wrong of [altered, randomBytes(whole.length)]) {
    writeFileSync(path, wrong);
    const second = await restored();
    expect(second).toMatchObject(named('damaged'));
    expect(existsSync(join(second.dataDir, 'bundles', bundle.location))).toBe(false);
    expect(existsSync(join(second.dataDir, 'appctl.db'))).toBe(true);
  }
  rmSync(path);
  const kept = join(folder, 'kept');
  writeFileSync(kept, whole);
  symlinkSync(kept, path);
  mkdirSync(join(dirname(path), `bundles-${'0'.repeat(64)}`));
  expect(await restored()).toMatchObject(named('not in the stream'));
  rmSync(path);
  // What nobody shipped is shipped by the next server.
  await serve();
  await eventually(() => shippedOf('bundles').length === 2);
}, 120_000);

test('files that no state can name go, and no other', async () => {
  await serve();
  await hasBase();
  await ship();
  await eventually(() => shippedOf('bundles').length === 1);
  await server?.stop();
  const [path = ''] = shippedOf('bundles');
  const stray = `media-${'c'.repeat(64)}-label-${'d'.repeat(64)}-100-1`;
  mkdirSync(join(dirname(dirname(path)), 'cc'));
  writeFileSync(join(dirname(dirname(path)), 'cc', stray), randomBytes(200));
  expect(await done(['backup', 'prune', '--yes'])).toMatchObject({ removed: [], streamFiles: 0 });
  const { gone } = JSON.parse(readFileSync(at('stream/files-gone.json'), 'utf8'));
  expect(Object.keys(gone)).toEqual([`media/${'c'.repeat(64)}/label`]);
  // A row names the bundle, though the disk has lost it.
  rmSync(at('bundles'), { recursive: true });
  const longAgo = { gone: { [`media/${'c'.repeat(64)}/label`]: '2026-01-01T00:00:00.000Z' } };
  writeFileSync(at('stream/files-gone.json'), JSON.stringify(longAgo));
  expect(await done(['backup', 'prune', '--dry-run'])).toMatchObject({ streamFiles: 1 });
  expect(await done(['backup', 'prune', '--yes'])).toMatchObject({ streamFiles: 1 });
  expect(shipped()).toEqual([path]);
  // One that waits is shown.
  const note = at('stream/files', `media-${'c'.repeat(64)}-label`);
  writeFileSync(note, '');
  utimesSync(note, 1_700_000_000, 1_700_000_000);
  expect((await run(['backup', 'list'], ON)).stderr).toContain('1 file not in the stream yet');
  const { stdout } = await run(['doctor', 'db.backup-stream', '--json'], ON);
  expect(stdout).toContain('1 file is not in the stream');
  expect(stdout).toContain('2023-11-14T22:13:20.000Z');
  rmSync(note);
  const state = JSON.parse(readFileSync(at('stream/files.json'), 'utf8'));
  const left = { ...state, left: 2, leftSince: '2024-01-01T00:00:00.000Z' };
  writeFileSync(at('stream/files.json'), JSON.stringify(left));
  const later = await run(['doctor', 'db.backup-stream', '--json'], ON);
  expect(later.stdout).toContain('2 files are not in the stream');
  expect(later.stdout).toContain('2024-01-01T00:00:00.000Z');
}, 60_000);

test('an encrypted stream has its files encrypted, and a place that was away gets them', async () => {
  const { publicKey } = await done(['backup', 'keygen', '--out', 'key']);
  const env = { ...ON, APPCTL_BACKUP_ENCRYPT_TO: publicKey };
  await serve(env);
  await hasBase();
  renameSync(at('backups'), at('away'));
  writeFileSync(at('backups'), 'not a folder');
  const bundle = await ship();
  await eventually(() =>
    (server?.stderr() ?? '').concat(server?.stdout() ?? '').includes('files of the stream of backups cannot'),
  );
  expect(waits()).toBe(1);
  rmSync(at('backups'));
  renameSync(at('away'), at('backups'));
  await eventually(() => shippedOf('bundles').length === 1 && waits() === 0);
  for (const path of shipped()) expect(readFileSync(path, 'latin1')).toMatch(/^age-encryption/);
  await server?.stop();
  // The same set goes on, and nothing is sent twice.
  await serve(env);
  await server?.stop();
  expect(readdirSync(at('backups/stream/sets'))).toHaveLength(1);
  const { code, dataDir } = await restored(['--identity', join(folder, 'key')]);
  expect(code).toBe(0);
  expect(readFileSync(join(dataDir, 'bundles', bundle.location)).equals(bundle.bytes)).toBe(true);
}, 90_000);
