// The sockets that redirect plain HTTP are handed to a successor as all others are: nobody is refused meanwhile.
import { rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { callServer } from '#kernel/http/admin-socket.ts';
import { isAlive } from '#kernel/process-identity.ts';
import { makeCertificate } from '../support/certificate.ts';
import { runCli } from '../support/cli-process.ts';
import { freePort } from '../support/command-blocks.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { eventually, type ServerProcess, startActivated, startServer } from '../support/server-process.ts';

let cwd: string;
let pids: number[];
beforeEach(() => {
  cwd = scratchFolder('appctl-redirect-');
  pids = [];
  const { cert, key } = makeCertificate(['DNS:one.test']);
  writeFileSync(join(cwd, 'cert.pem'), cert);
  writeFileSync(join(cwd, 'key.pem'), key);
});
afterEach(() => {
  for (const pid of pids) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  rmSync(cwd, { recursive: true, force: true });
});

const env = (more: Record<string, string> = {}) => ({
  APPCTL_BASE_URL: 'https://one.test',
  APPCTL_TLS_CERT: join(cwd, 'cert.pem'),
  APPCTL_TLS_KEY: join(cwd, 'key.pem'),
  ...more,
});

/** What a client of plain HTTP gets: the status and where it leads, or why there was none. */
const ask = (port: number): Promise<string> =>
  new Promise((resolve) => {
    request({ host: '127.0.0.1', port, path: '/shop', agent: false }, (res) => {
      res.resume().on('end', () => resolve(`${res.statusCode} ${res.headers.location}`));
    })
      .on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
      .end();
  });

/** Asks all the time until a restart has ended and the server before it has, too. */
async function askedMeanwhile(
  port: number,
  first: ServerProcess,
): Promise<{ pid: number; answers: string[] }> {
  const answers: string[] = [];
  let isOver = false;
  const asking = (async () => {
    while (!isOver) answers.push(await ask(port));
  })();
  const run = await runCli(['restart', '--json'], { cwd, env: env() });
  const { pid } = JSON.parse(run.stdout || '{"pid":0}') as { pid: number };
  pids.push(pid);
  await eventually(async () => {
    const status = await callServer<{ pid: number }>(join(cwd, 'data/run/appctl.sock'), 'status').catch(
      () => null,
    );
    return status?.pid === pid && first.child.exitCode !== null;
  });
  answers.push(await ask(port));
  isOver = true;
  await asking;
  return { pid, answers };
}

test('a configured one', async () => {
  const port = await freePort();
  const first = await startServer([], { cwd, env: env({ APPCTL_TLS_REDIRECT_LISTEN: `127.0.0.1:${port}` }) });
  pids.push(first.child.pid as number);
  const { pid, answers } = await askedMeanwhile(port, first);
  expect([pid === first.child.pid, new Set(answers)]).toEqual([
    false,
    new Set(['301 https://one.test/shop']),
  ]);
});

test('one that systemd has opened', async () => {
  const [port, redirect] = [await freePort(), await freePort()];
  const sockets = [
    '-l',
    `127.0.0.1:${port}`,
    '-l',
    `127.0.0.1:${redirect}`,
    '--fdname=appctl.socket:redirect',
  ];
  const begun = startActivated(sockets, {
    cwd,
    env: env({ APPCTL_LISTEN: `127.0.0.1:${port}`, APPCTL_TLS_REDIRECT_LISTEN: `127.0.0.1:${redirect}` }),
  });
  // The first connection starts it, and is answered.
  const woken = eventually(async () => (await ask(redirect)) === '301 https://one.test/shop');
  const first = await begun;
  pids.push(first.child.pid as number);
  expect(await woken).toBe(true);
  const { pid, answers } = await askedMeanwhile(redirect, first);
  expect([pid === first.child.pid, new Set(answers)]).toEqual([
    false,
    new Set(['301 https://one.test/shop']),
  ]);
});

test('and none at all is told where it is wanted', async () => {
  const port = await freePort();
  const begun = startActivated(['-l', `127.0.0.1:${port}`], {
    cwd,
    env: env({ APPCTL_LISTEN: `127.0.0.1:${port}`, APPCTL_TLS_REDIRECT_LISTEN: '127.0.0.1:80' }),
  });
  const woken = eventually(async () => (await ask(port)) !== 'ECONNREFUSED');
  const server = await begun;
  pids.push(server.child.pid as number);
  expect(await woken).toBe(true);
  // The log may come after the line that says where the server listens.
  expect(
    await eventually(() => `${server.stdout()}${server.stderr()}`.includes('nobody answers on 127.0.0.1:80')),
  ).toBe(true);
});
