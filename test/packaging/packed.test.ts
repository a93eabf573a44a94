// Packages that the executable holds beside the program, packed: each is used as its user would, so that a name that the
// build left out is seen. Those of payment processors, emails and documents have tests of their own.
import { globSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  command,
  jsonCommand,
  type Launch,
  type RunningServer,
  startServer,
} from '../proof/parts/processes.ts';
import { copyOfExecutable } from '../support/built-executable.ts';
import { startS3Server } from '../support/s3-server.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

let folder: string;
let launch: Launch;
let bucket: Awaited<ReturnType<typeof startS3Server>>;
let server: RunningServer | undefined;
beforeAll(async () => {
  folder = scratchFolder('appctl-packed-', { durable: true });
  const exe = copyOfExecutable(folder);
  bucket = await startS3Server();
  const env = {
    PATH: '/usr/bin',
    APPCTL_STORAGE_URL: bucket.urlOf('bundles'),
    APPCTL_S3_ACCESS_KEY_ID: 'S3RVER',
    APPCTL_S3_SECRET_ACCESS_KEY: 'S3RVER',
  };
  launch = { exe, cwd: folder, env };
  await jsonCommand(launch, ['setup', '--no-input', '--owner-email', 'a@x.test', '--generate-password']);
}, 60_000);
afterAll(async () => {
  await server?.stop();
  await bucket?.close();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

test('a release goes into a bucket and is offered to Electron', async () => {
  writeFileSync(join(folder, 'editor.zip'), 'the bundle');
  const product = ['--product', 'editor'];
  await jsonCommand(launch, ['product', 'create', '--name', 'Editor', '--slug', 'editor']);
  await jsonCommand(launch, ['keys', 'generate', ...product, '--out', 'editor.key', '--no-passphrase']);
  const ship = ['release', 'ship', 'editor.zip', ...product, '--version', '1.0.0', '--key', 'editor.key'];
  const target = ['--platform', 'windows', '--arch', 'x64'];
  expect(await jsonCommand(launch, [...ship, ...target])).toMatchObject({ state: 'PUBLISHED' });
  expect(globSync('buckets/bundles/**/*', { cwd: bucket.folder }).length).toBeGreaterThan(0);
  const mint = ['license', 'mint', ...product, '--email', 'b@x.test', '--reveal'];
  const { key } = await jsonCommand<{ key: string }>(launch, mint);
  server = await startServer(launch, ['--listen', '127.0.0.1:0']);
  const feed = new URL('/api/v1/updates/feeds/electron/editor/stable/latest.yml', server.url);
  const answer = await fetch(feed, { headers: { 'X-License-Key': key } });
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringMatching(/^version: "1\.0\.0"\n/)]);
}, 60_000);

test('an offline token is drawn for a camera', async () => {
  // The server holds the root key of this product, so that its online key signs at once.
  const product = ['--product', 'viewer'];
  await jsonCommand(launch, ['product', 'create', '--name', 'Viewer', '--slug', 'viewer']);
  await jsonCommand(launch, ['keys', 'generate', ...product, '--server-held']);
  await jsonCommand(launch, ['keys', 'online', 'create', ...product]);
  const mint = ['license', 'mint', ...product, '--email', 'b@x.test'];
  const { id } = await jsonCommand<{ id: string }>(launch, mint);
  const token = ['license', 'token', id, '--machine', 'machine-0001', '--activate', '--qr'];
  const drawn = await command(launch, token);
  expect([drawn.code, drawn.stderr]).toEqual([0, expect.stringMatching(/▀|▄/)]);
}, 60_000);
