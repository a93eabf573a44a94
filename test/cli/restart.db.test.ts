// A running server is replaced on its own sockets: nothing is refused, and what was counted stays counted.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { callServer } from '#kernel/http/admin-socket.ts';
import { isAlive } from '#kernel/process-identity.ts';
import { runCli } from '../support/cli-process.ts';
import { freshDatabaseUrl } from '../support/database.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { eventually, type ServerProcess, startServer } from '../support/server-process.ts';

let cwd: string;
let database: Awaited<ReturnType<typeof freshDatabaseUrl>>;
let pids: number[];
beforeEach(async () => {
  cwd = scratchFolder('appctl-restart-');
  database = await freshDatabaseUrl();
  pids = [];
});
afterEach(async () => {
  for (const pid of pids) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  await database.drop();
  rmSync(cwd, { recursive: true, force: true });
});

const env = () => ({ APPCTL_DATABASE_URL: database.url, APPCTL_LOG_FILE_PATH: join(cwd, 'log') });
const socket = () => join(cwd, 'data/run/appctl.sock');

async function begin(args: string[] = []): Promise<ServerProcess> {
  const server = await startServer(args, { cwd, env: env() });
  pids.push(server.child.pid as number);
  return server;
}

/** Runs a command on the server that was started in this folder. */
async function json(line: string): Promise<Record<string, unknown>> {
  const run = await runCli([...line.split(' '), '--json'], { cwd, env: env() });
  if (run.code !== 0) throw new Error(`${line} ended with ${run.code}: ${run.stderr}`);
  return JSON.parse(run.stdout);
}

/** Until the process that was asked to end has ended and the other one answers commands. */
const ownerIs = (pid: number) =>
  eventually(async () => {
    const status = await callServer<{ pid: number }>(socket(), 'status').catch(() => null);
    return status?.pid === pid;
  });

test('restart starts a successor on the same port and ends the server; limits go on where they were', async () => {
  const first = await begin(['--listen', '127.0.0.1:0', '--listen', `unix:${join(cwd, 'http.sock')}`]);
  const check = () => fetch(`${first.url}/api/v1/updates/check`);
  const left = async () => Number((await check()).headers.get('ratelimit-remaining'));
  const before = await left();
  const done = await json('restart');
  const pid = done.pid as number;
  pids.push(pid);
  expect(done).toMatchObject({ predecessor: first.child.pid, unit: null });
  expect(await json('status')).toMatchObject({ running: true, pid });
  // Its streams stay open: the successor writes to them.
  await eventually(() => first.child.exitCode !== null);
  expect(first.child.exitCode).toBe(0);
  await ownerIs(pid);
  expect(await left()).toBe(before - 1);
  expect((await ask(join(cwd, 'http.sock'))).status).toBe(200);
  expect(JSON.parse(readFileSync(join(cwd, 'data/run/server.json'), 'utf8'))).toMatchObject({ pid });
  process.kill(pid, 'SIGTERM');
  await eventually(() => !existsSync(socket()) && !existsSync(join(cwd, 'http.sock')));
});

test('a successor that cannot start leaves the server at work, with its words', async () => {
  const first = await begin();
  const broken = callServer(socket(), 'restart', { exe: join(cwd, 'nothing') }, 0);
  await expect(broken).rejects.toMatchObject({
    code: 'HANDOVER_FAILED',
    message: expect.stringContaining('ENOENT'),
  });
  const other = callServer(socket(), 'restart', { exe: '/bin/false' }, 0);
  await expect(other).rejects.toMatchObject({ message: expect.stringContaining('it ended with 1 after') });
  expect((await fetch(`${first.url}/api/ready`)).status).toBe(200);
  const done = await json('restart');
  pids.push(done.pid as number);
  expect(done).toMatchObject({ predecessor: first.child.pid });
});

test('drain turns readiness to 503 and health not, until it is undone', async () => {
  const server = await begin();
  const statuses = async () =>
    Promise.all(['ready', 'health'].map(async (path) => (await fetch(`${server.url}/api/${path}`)).status));
  expect(await statuses()).toEqual([200, 200]);
  expect(await json('drain')).toEqual({ draining: true });
  expect(await statuses()).toEqual([503, 200]);
  const drained = 'drained: no jobs, webhooks or mail; appctl drain --off';
  expect((await json('status')).warnings).toContain(drained);
  expect(await json('drain --off')).toEqual({ draining: false });
  expect(await statuses()).toEqual([200, 200]);
  expect((await json('status')).warnings).not.toContain(drained);
});

test.each(['restart', 'drain'])('%s without a server ends with 9', async (word) => {
  const run = await runCli([word], { cwd });
  expect(run).toMatchObject({ code: 9, stderr: expect.stringContaining('no server is running on') });
});

function ask(socketPath: string): Promise<{ status: number | undefined }> {
  return new Promise((resolve, reject) => {
    request({ socketPath, path: '/api/health', agent: false }, (res) => {
      res.resume().on('end', () => resolve({ status: res.statusCode }));
    })
      .on('error', reject)
      .end();
  });
}
