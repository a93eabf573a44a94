// A SQLite file belongs to one server, from whatever data directory and by whatever name it is served.
import { copyFileSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runInside } from '../support/cli-inside.ts';
import { errorOf, runCli } from '../support/cli-process.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';

let cwd: string;
let servers: ServerProcess[];
beforeEach(() => {
  cwd = scratchFolder('appctl-one-server-');
  servers = [];
});
afterEach(async () => {
  for (const server of servers) if (server.child.exitCode === null) await server.stop('SIGKILL');
  rmSync(cwd, { recursive: true, force: true });
});

/** Starts the server whose data directory is `data`, and gives `other` its master key, as a copied installation has it. */
async function startFirst(): Promise<ServerProcess> {
  const server = await startServer([], { cwd });
  servers.push(server);
  mkdirSync(join(cwd, 'other'), { mode: 0o700, recursive: true });
  copyFileSync(join(cwd, 'data/master.key'), join(cwd, 'other/master.key'));
  return server;
}

const other = (database: string) => ['--data-dir', 'other', '--db', `sqlite:${database}`, '--json'];
const serveOther = (database: string) => runCli(['serve', '--listen', '0', ...other(database)], { cwd });

test('a second server with another data directory ends with 5 and names file, process and cure', async () => {
  const first = await startFirst();
  const file = join(cwd, 'data/appctl.db');
  symlinkSync(file, join(cwd, 'link.db'));
  symlinkSync(join(cwd, 'data'), join(cwd, 'folder'));
  for (const name of [relative(cwd, file), 'link.db', 'folder/appctl.db']) {
    const second = await serveOther(name);
    expect({ name, code: second.code, stdout: second.stdout }).toEqual({ name, code: 5, stdout: '' });
    expect(errorOf(second)).toMatchObject({
      code: 'CONFLICT',
      message: `${file} is already served by process ${first.child.pid} with the data directory ${join(cwd, 'data')}`,
      hint: `stop process ${first.child.pid}, or choose another database with --db`,
    });
  }
  expect(existsSync(join(cwd, 'other/run/appctl.sock'))).toBe(false);
  expect((await fetch(`${first.url}/api/health`)).status).toBe(200);
  const free = await startServer(['--data-dir', 'free'], { cwd });
  servers.push(free);
  expect((await free.stop()).code).toBe(0);
});

test('commands go on beside the server, from its own data directory and from another one', async () => {
  await startFirst();
  const product = ['product', 'create', '--name', 'Editor', '--slug', 'editor', '--json'];
  expect((await runInside(product, { cwd })).code).toBe(0);
  const mint = ['license', 'mint', '--product', 'editor', '--email', 'ann@x.test'];
  expect((await runInside([...mint, ...other('data/appctl.db')], { cwd })).code).toBe(0);
});

test('a server that was killed or stopped leaves no lock', async () => {
  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    const server = await startFirst();
    await server.stop(signal);
    const next = await startServer(other('data/appctl.db'), { cwd });
    servers.push(next);
    expect((await next.stop()).code).toBe(0);
  }
});

test('a lock that cannot be read ends with 9 and says which file is in the way', async () => {
  await (await startFirst()).stop();
  const file = join(cwd, 'data/appctl.db-server');
  writeFileSync(file, 'not a database, and long enough that SQLite looks at it'.repeat(100));
  const run = await serveOther('data/appctl.db');
  expect({ ...errorOf(run) }).toMatchObject({
    code: 'DATABASE_UNAVAILABLE',
    message: expect.stringContaining(`cannot lock ${file}: `),
    hint: expect.stringContaining(`remove ${file}`),
  });
  expect(run.code).toBe(9);
});
