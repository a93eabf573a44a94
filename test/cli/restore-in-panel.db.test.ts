// A restore that staff asks for in the panel: the server stops, restores, and is there again as the same process.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { callServer } from '#kernel/http/admin-socket.ts';
import { isAlive } from '#kernel/process-identity.ts';
import { textOf } from '../platform/panel/staff.ts';
import { type Browser, openBrowser } from '../support/browser.ts';
import { runCli } from '../support/cli-process.ts';
import { freePort } from '../support/command-blocks.ts';
import { freshDatabaseUrl } from '../support/database.ts';
import { openHttpClient } from '../support/http-client.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { eventually, type ServerProcess, startActivated, startServer } from '../support/server-process.ts';

const LIST = '/admin/system/backups';
const EMAIL = 'ops@example.com';

let cwd: string;
let database: Awaited<ReturnType<typeof freshDatabaseUrl>>;
let password: string;
let port: number;
let server: ServerProcess;
let pids: number[];
beforeEach(async () => {
  cwd = scratchFolder('appctl-restore-in-panel-');
  database = await freshDatabaseUrl();
  pids = [];
  const made = await json<{ secrets: { ownerPassword: string } }>(
    `setup --no-input --owner-email ${EMAIL} --generate-password`,
  );
  password = made.secrets.ownerPassword;
  port = await freePort();
  server = await startServer(['--listen', `127.0.0.1:${port}`], { cwd, env: env() });
  pids.push(server.child.pid as number);
});
afterEach(async () => {
  for (const pid of pids) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  await database.drop();
  rmSync(cwd, { recursive: true, force: true });
});

const env = () => ({ APPCTL_DATABASE_URL: database.url });

async function json<T>(line: string): Promise<T> {
  const run = await runCli([...line.split(' '), '--json'], { cwd, env: env() });
  if (run.code !== 0) throw new Error(`${line} ended with ${run.code}: ${run.stderr}`);
  return JSON.parse(run.stdout) as T;
}
const addProduct = (slug: string) => json(`product create --name ${slug} --slug ${slug}`);
const products = async () =>
  (await json<{ items: { slug: string }[] }>('product list')).items.map(({ slug }) => slug);

async function signedIn(): Promise<Browser> {
  const browser = openBrowser(openHttpClient(`http://127.0.0.1:${port}`).send);
  expect((await browser.submit('/admin/login', { email: EMAIL, password })).status).toBe(303);
  return browser;
}
const pageOf = async (browser: Browser, path = LIST) => textOf((await browser.open(path)).text);

/** Presses the button, and waits until the server is there again. */
const restored = (browser: Browser, file: string): Promise<void> =>
  untilBack(async () => {
    const reply = await browser.submit(`${LIST}/${file}/restore`, { name: 'appctl' });
    expect([reply.status, textOf(reply.text)]).toEqual([
      200,
      expect.stringContaining('The server stops and restores'),
    ]);
  });

/** Asks for what is below the backups, with a token of an owner. */
async function asProgram() {
  const { secret } = await json<{ secret: string }>(
    'admin token create --name program --role owner --instance',
  );
  const { send } = openHttpClient(`http://127.0.0.1:${port}`);
  const headers = { Authorization: `Bearer ${secret}` };
  return (path: string, body?: object) =>
    send(`/api/v1/admin/backups${path}`, { method: body ? 'POST' : 'GET', headers, body });
}

async function untilBack(ask: () => Promise<void>): Promise<void> {
  const startedAt = await since();
  await ask();
  await eventually(async () => {
    const now = await since().catch(() => null);
    return now !== null && now !== startedAt;
  });
}
const since = async (): Promise<string | null> =>
  (await callServer<{ startedAt: string }>(join(cwd, 'data/run/appctl.sock'), 'status'))?.startedAt ?? null;
const pidNow = async () =>
  (await callServer<{ pid: number }>(join(cwd, 'data/run/appctl.sock'), 'status'))?.pid;

test('has the state of the backup, keeps what was there before, and can be undone', async () => {
  await addProduct('first');
  const file = basename((await json<{ file: string }>('backup create')).file);
  await addProduct('second');
  const browser = await signedIn();
  // Another name changes nothing.
  const wrong = await browser.submit(`${LIST}/${file}/restore`, { name: 'other' });
  expect([wrong.status, textOf(wrong.text)]).toEqual([
    422,
    expect.stringContaining('Type appctl to restore'),
  ]);
  expect(await products()).toHaveLength(2);
  await restored(browser, file);
  // A container and a service manager wait for the process that they started.
  expect(await pidNow()).toBe(server.child.pid);
  expect(await products()).toEqual(['first']);
  expect((await browser.open(LIST)).status).toBe(303);
  const again = await signedIn();
  const page = await pageOf(again);
  expect(page).toMatch(/was restored at .*, as \S+ asked for/);
  const previous = /appctl-backup-\S+-pre-restore\.tar\.zst/.exec(page)?.[0] ?? '';
  // Nor does it matter that a server took over from another one.
  const { pid } = await json<{ pid: number }>('restart');
  pids.push(pid);
  await eventually(async () => (await pidNow().catch(() => null)) === pid);
  await restored(again, previous);
  expect(await pidNow()).toBe(pid);
  expect((await products()).toSorted()).toEqual(['first', 'second']);
});

test('of a server whose sockets systemd has opened ends it, so that systemd starts it again', async () => {
  await addProduct('first');
  const file = basename((await json<{ file: string }>('backup create')).file);
  await addProduct('second');
  await server.stop();
  const begin = async (): Promise<ServerProcess> => {
    const begun = startActivated(['-l', `127.0.0.1:${port}`], {
      cwd,
      env: { ...env(), APPCTL_LISTEN: `127.0.0.1:${port}` },
    });
    const woken = eventually(() => fetch(`http://127.0.0.1:${port}/api/health`).catch(() => null));
    const process = await begun;
    pids.push(process.child.pid as number);
    await woken;
    return process;
  };
  const first = await begin();
  const browser = await signedIn();
  expect((await browser.submit(`${LIST}/${file}/restore`, { name: 'appctl' })).status).toBe(200);
  expect((await first.ended).code).toBe(75);
  await begin();
  expect([await products(), await pageOf(await signedIn())]).toEqual([
    ['first'],
    expect.stringMatching(/was restored at .*, as \S+ asked for/),
  ]);
});

test('of a backup that is damaged changes nothing, and says why; a program asks for it by JSON', async () => {
  await addProduct('first');
  const path = (await json<{ file: string }>('backup create')).file;
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.subarray(0, bytes.length / 2));
  await addProduct('second');
  const browser = await signedIn();
  const ask = await asProgram();
  const file = basename(path);
  expect((await ask(`/${file}/restore`, { name: 'other' })).body.error).toMatchObject({
    message: 'name: must be appctl, the name of this service',
  });
  expect((await ask(`/${file.replace('2', '3')}/restore`, { name: 'appctl' })).status).toBe(404);
  expect((await ask(`/${file}`)).body.restoreRefusal).toBe(null);
  await untilBack(async () => {
    // Two at once: one of them is begun.
    const asked = [1, 2].map(() => ask(`/${file}/restore`, { name: 'appctl' }));
    const [begun, refused] = (await Promise.all(asked)).toSorted((a, b) => a.status - b.status);
    expect([begun?.status, begun?.body]).toEqual([202, expect.objectContaining({ started: true, file })]);
    expect([refused?.status, refused?.body.error?.message]).toEqual([
      409,
      'Not restored: another restore has already been started.',
    ]);
  });
  expect((await products()).toSorted()).toEqual(['first', 'second']);
  const { items } = await json<{ items: { action: string }[] }>('audit list --target backups');
  expect(items.filter(({ action }) => action === 'BACKUP_RESTORE_STARTED')).toHaveLength(1);
  // Nobody was signed out, since nothing was replaced.
  expect(await pageOf(browser)).toMatch(/was not restored at .* the database was not replaced: .*incomplete/);
  expect((await ask('')).body.lastRestore).toMatchObject({
    file,
    by: 'program',
    error: expect.stringContaining('incomplete'),
    previous: null,
  });
});

test('is refused while others use the database, with the commands', async () => {
  const file = basename((await json<{ file: string }>('backup create')).file);
  const isShared = !database.url.startsWith('sqlite:');
  if (isShared) {
    const key = { APPCTL_MASTER_KEY: readFileSync(join(cwd, 'data/master.key'), 'utf8').trim() };
    const second = await startServer([], {
      cwd,
      env: { ...env(), ...key, APPCTL_DATA_DIR: join(cwd, 'second') },
    });
    pids.push(second.child.pid as number);
  }
  const browser = await signedIn();
  const page = await pageOf(browser, `${LIST}/${file}/restore`);
  expect(page.includes('This server cannot restore it by itself: the database is also used by')).toBe(
    isShared,
  );
  if (isShared) {
    const reply = await browser.post(`${LIST}/${file}/restore`, { name: 'appctl' });
    expect(reply.status).toBe(403);
  }
  expect(await pageOf(browser, `${LIST}/${file}`)).toContain(`appctl restore ${file}`);
  expect(await pidNow()).toBe(server.child.pid);
});

test('and a verification is a task with its end', async () => {
  const path = (await json<{ file: string }>('backup create')).file;
  const browser = await signedIn();
  const begun = async () => {
    const { status, headers } = await browser.submit(`${LIST}/${basename(path)}`);
    expect([status, headers.location]).toEqual([303, expect.stringMatching(/^\/admin\/tasks\/tsk_/)]);
    const id = String(headers.location).split('/').at(-1);
    return eventually(async () => {
      const task = await json<{ status: string; report: object | null; error: string | null }>(
        `jobs show ${id}`,
      );
      return task.status === 'RUNNING' ? null : task;
    });
  };
  expect(await begun()).toMatchObject({
    status: 'DONE',
    report: { file: basename(path), tables: expect.any(Number) },
  });
  const bytes = readFileSync(path);
  const half = Math.floor(bytes.length / 2);
  bytes.fill(0, half, half + 64);
  writeFileSync(path, bytes);
  expect(await begun()).toMatchObject({ status: 'FAILED', error: expect.any(String) });
});
