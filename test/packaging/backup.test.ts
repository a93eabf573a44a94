// Backups by the executable as an ordinary user, who may not take back a priority that was lowered, and whose sandbox
// may forbid to lower it: what root can do is no proof.
import { chmodSync, chownSync, globSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { command, jsonCommand, type Launch, startServer } from '../proof/parts/processes.ts';
import { copyOfExecutable } from '../support/built-executable.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

/** Nobody, on every Linux. */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

let folder: string;
let launch: Launch;
beforeAll(async () => {
  folder = scratchFolder('appctl-backup-', { durable: true });
  const exe = copyOfExecutable(folder);
  const prefix = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];
  if (isRoot) chownSync(folder, NOBODY, NOBODY);
  chmodSync(folder, 0o700);
  launch = { exe, cwd: folder, env: { PATH: '/usr/bin', HOME: folder }, ...(isRoot && { prefix }) };
  await jsonCommand(launch, ['setup', '--no-input', '--owner-email', 'a@x.test', '--generate-password']);
}, 60_000);
afterAll(() => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

test('an encrypted backup is made, checked and restored', async () => {
  await jsonCommand(launch, ['product', 'create', '--name', 'Editor', '--slug', 'editor']);
  const { publicKey } = await jsonCommand<{ publicKey: string }>(launch, [
    'backup',
    'keygen',
    '--out',
    'key',
  ]);
  const create = ['backup', 'create', '--out', 'b.tar.zst.age', '--encrypt-to', publicKey];
  expect(await jsonCommand(launch, create)).toMatchObject({ encrypted: true });
  expect(await command(launch, ['backup', 'verify', 'b.tar.zst.age'])).toMatchObject({ code: 4 });
  const opened = ['b.tar.zst.age', '--identity', 'key'];
  expect(await jsonCommand(launch, ['backup', 'verify', ...opened])).toMatchObject({ ok: true });
  const another = ['--data-dir', 'other', '--db', 'sqlite:other/appctl.db'];
  await jsonCommand(launch, ['restore', ...opened, ...another]);
  expect(await jsonCommand(launch, ['product', 'show', 'editor', ...another])).toMatchObject({
    slug: 'editor',
  });
}, 60_000);

test('a server makes one on a signal', async () => {
  const server = await startServer(launch, ['--listen', '127.0.0.1:0']);
  try {
    process.kill(server.pid, 'SIGUSR1');
    await expect
      .poll(() => globSync('data/backups/*.tar.zst.json', { cwd: folder }), { timeout: 20_000 })
      .toHaveLength(1);
  } finally {
    await server.stop();
  }
}, 60_000);

test('a file that is no backup ends with 6, and restores nothing', async () => {
  writeFileSync(join(folder, 'foreign'), 'not a backup '.repeat(100), { mode: 0o644 });
  const restored = await command(launch, ['restore', 'foreign', '--data-dir', 'third', '--json']);
  expect([restored.code, restored.stderr]).toEqual([6, expect.stringContaining('not a backup of appctl')]);
});
