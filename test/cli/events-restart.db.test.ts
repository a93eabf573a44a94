// `events tail --follow --server` while the server restarts, and events of other processes on the stream (admin.md 7).
import { spawn } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import type { Instance } from '../../src/app/instance.ts';
import { program } from '../support/cli-process.ts';
import { freePort } from '../support/command-blocks.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../support/database.ts';
import { eventually, type ServerProcess, startServer } from '../support/server-process.ts';
import { type Installation, prepareInstallation } from './prepared-installation.ts';

let database: FreshDatabase;
let installation: Installation;
let instance: Instance;
let server: ServerProcess;
let listen: string;
beforeAll(async () => {
  database = await migratedDatabaseUrl();
  installation = await prepareInstallation(database.url);
  instance = await installation.open();
  listen = `127.0.0.1:${await freePort()}`;
  server = await serve();
}, 60_000);
afterAll(async () => {
  await server.stop();
  await instance.close();
  installation.remove();
  await database.drop();
});

function serve(): Promise<ServerProcess> {
  const env = {
    APPCTL_DATA_DIR: `${installation.cwd}/data`,
    APPCTL_DATABASE_URL: database.url,
    APPCTL_LISTEN: listen,
  };
  return startServer([], { cwd: installation.cwd, env });
}

/** Follows the server as a person would, in a process of its own. */
function follow(token: string) {
  const words = ['events', 'tail', '--follow', '--last', '0', '--json', '--server', `http://${listen}`];
  const child = spawn(process.execPath, [program, ...words], {
    cwd: installation.cwd,
    env: {
      PATH: '/usr/bin:/bin',
      HOME: installation.cwd,
      APPCTL_API_KEY: token,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      said[name] += text;
    });
  const events = () =>
    said.stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as { id: string; type: string; subject: string });
  return { child, said, events };
}

it('goes on where it was when the server is there again, and shows what other processes did', async () => {
  const { ctx } = instance;
  const words = ['admin', 'token', 'create', '--name', 'tail', '--role', 'viewer'];
  const { secret } = await installation.answer<{ secret: string }>(words);
  await installation.answer(['product', 'create', '--name', 'Editor', '--slug', 'editor']);
  const mint = () =>
    installation.answer<{ id: string }>(['license', 'mint', '--product', 'editor', '--email', 'ann@x.test']);
  const { child, said, events } = follow(secret);
  const sees = (type: string, subject: string) =>
    eventually(() => events().some((one) => one.type === type && one.subject === subject));
  try {
    await eventually(async () => {
      await mint();
      return events().length > 0;
    });
    const { id } = await mint();
    await sees('LICENSE_CREATED', id);
    await server.stop();
    await eventually(() => said.stderr.includes('the server does not answer; retrying for 60 seconds'));
    await licenses.suspend(ctx, id, { reason: 'ADMIN', note: null });
    server = await serve();
    await sees('LICENSE_SUSPENDED', id);
    expect(said.stderr).toContain('the server answers again');
    await licenses.reinstate(ctx, id);
    await sees('LICENSE_REINSTATED', id);
    const own = events().filter(({ subject }) => subject === id);
    expect(own.map(({ type }) => type)).toEqual([
      'LICENSE_CREATED',
      'LICENSE_SUSPENDED',
      'LICENSE_REINSTATED',
    ]);
    expect(child.exitCode).toBeNull();
  } finally {
    child.kill();
  }
}, 60_000);
