// One server of several processes: each of them answers, limits are counted once, and one that is killed is replaced.
import { readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isAlive } from '#kernel/process-identity.ts';
import { runCli } from '../support/cli-process.ts';
import { freshDatabaseUrl } from '../support/database.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { eventually, type ServerProcess, startServer } from '../support/server-process.ts';

let cwd: string;
let database: Awaited<ReturnType<typeof freshDatabaseUrl>>;
let server: ServerProcess | undefined;
beforeEach(async () => {
  cwd = scratchFolder('appctl-workers-');
  database = await freshDatabaseUrl();
});
afterEach(async () => {
  if (server && isAlive(server.child.pid as number)) await server.stop('SIGKILL');
  server = undefined;
  await database.drop();
  rmSync(cwd, { recursive: true, force: true });
});

const env = () => ({
  APPCTL_DATABASE_URL: database.url,
  APPCTL_LOG_FILE_PATH: join(cwd, 'log'),
  APPCTL_METRICS: 'on',
});
const logged = () => readFileSync(join(cwd, 'log'), 'utf8');

async function json<T>(line: string): Promise<T> {
  const run = await runCli([...line.split(' '), '--json'], { cwd, env: env() });
  if (run.code !== 0) throw new Error(`${line} ended with ${run.code}: ${run.stderr}`);
  return JSON.parse(run.stdout) as T;
}

/** Process ids of those that were started beside the first one, in the order in which they came to serve. */
const workers = (): number[] =>
  [...logged().matchAll(/"worker":(\d+),"msg":"another process serves"/g)].map(([, pid]) => Number(pid));

/** Waits until so many were started and serve. */
const serving = (count: number) =>
  eventually(() => {
    const pids = workers();
    return pids.length >= count ? pids : null;
  });

async function begin(args: string[] = []): Promise<{ first: number; second: number; url: string }> {
  server = await startServer(['--workers', '2', ...args], { cwd, env: env() });
  const [second = 0] = await serving(1);
  return { first: server.child.pid as number, second, url: server.url };
}

interface Client {
  get(
    path: string,
    headers?: Record<string, string>,
  ): Promise<{ status: number; left: number; body: string }>;
  end(): void;
}

/** A connection that one process has: the other one was stopped while it began. */
async function clientOf(url: string, other: number): Promise<Client> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const get: Client['get'] = (path, headers = {}) =>
    new Promise((resolve, reject) => {
      const asked = request(`${url}${path}`, { agent, headers }, (answer) => {
        let body = '';
        answer.setEncoding('utf8').on('data', (text: string) => {
          body += text;
        });
        answer.on('end', () => {
          const left = Number(answer.headers['ratelimit-remaining']);
          resolve({ status: answer.statusCode ?? 0, left, body });
        });
      });
      asked.on('error', reject).end();
    });
  process.kill(other, 'SIGSTOP');
  try {
    await get('/api/health');
  } finally {
    process.kill(other, 'SIGCONT');
  }
  return { get, end: () => agent.destroy() };
}

const overSocket = (socketPath: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    request({ socketPath, path: '/api/health' }, (answer) => resolve(answer.resume().statusCode))
      .on('error', reject)
      .end();
  });

test('both processes answer, count one limit, know who guesses, and are counted together', async () => {
  const { first, second, url } = await begin();
  const [one, two] = [await clientOf(url, second), await clientOf(url, first)];
  const answers = await Promise.all(
    Array.from({ length: 40 }, () => [one, two].map((client) => client.get('/api/v1/updates/check'))).flat(),
  );
  expect(answers.map(({ left }) => left).toSorted((a, b) => b - a)).toEqual(
    Array.from({ length: 80 }, (_, i) => Math.max(0, 59 - i)),
  );
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(20);

  // The one guesses; the other one knows it at once.
  const guess = (i: number) =>
    two.get('/api/v1/products', { 'X-API-Key': `alk_${String(i).padStart(43, 'x')}` });
  const guessed: number[] = [];
  for (let i = 0; i < 130 && guessed.at(-1) !== 429; i++) guessed.push((await guess(i)).status);
  expect(guessed.at(-1)).toBe(429);
  expect(guessed.slice(0, -1).every((status) => status === 401)).toBe(true);
  const { secret } = await json<{ secret: string }>(
    'apikey create --service license --name a --scope READ_ONLY',
  );
  await expect
    .poll(async () => (await one.get('/api/v1/products', { 'X-API-Key': secret })).status)
    .toBe(429);
  for (const client of [one, two]) client.end();

  expect(await json('status')).toMatchObject({ pid: first, workers: { serving: 2, wanted: 2 } });
  await expect.poll(() => logged().match(/"route":"\/api\/v1\/updates\/check"/g)?.length).toBe(80);
}, 120_000);

test('figures of all processes are added up, whichever is asked', async () => {
  process.env.APPCTL_METRICS = '';
  const { first, second, url } = await begin();
  const [one, two] = [await clientOf(url, second), await clientOf(url, first)];
  for (const client of [one, two, two]) await client.get('/api/v1/updates/check');
  for (const client of [one, two]) {
    const { body } = await client.get('/metrics');
    expect(body).toMatch(/^appctl_up 1$/m);
    expect(body).toMatch(/appctl_http_request_seconds_count\{[^}]*updates\/check[^}]*\} 3$/m);
  }
  for (const client of [one, two]) client.end();
}, 120_000);

test('a process that is killed is replaced, and a stop ends all after what waits in memory was written', async () => {
  const { first, second, url } = await begin();
  process.kill(second, 'SIGKILL');
  // Nobody else is asked for figures in this moment.
  await eventually(() => logged().includes('a process of the server ended'));
  expect(await (await fetch(`${url}/metrics`)).text()).toMatch(/^appctl_up 1$/m);
  const [, third = 0] = await serving(2);
  expect([third === second, isAlive(third), logged()]).toEqual([
    false,
    true,
    expect.stringMatching(/"worker":\d+,"ended":"SIGKILL".*"a process of the server ended"/),
  ]);
  const client = await clientOf(url, first);
  expect((await client.get('/api/health')).status).toBe(200);
  client.end();
  const ended = await server?.stop();
  expect([ended?.code, isAlive(third)]).toEqual([0, false]);
}, 120_000);

test('the others end with the first, also when it is killed', async () => {
  const { second } = await begin();
  await server?.stop('SIGKILL');
  await expect.poll(() => isAlive(second), { timeout: 20_000 }).toBe(false);
}, 120_000);

test('a restart brings as many processes, and refuses nobody', async () => {
  const path = join(cwd, 'http.sock');
  const { first, second, url } = await begin(['--listen', '127.0.0.1:0', '--listen', `unix:${path}`]);
  const { pid } = await json<{ pid: number }>('restart');
  try {
    const [, third = 0] = await serving(2);
    await expect.poll(() => [first, second].map(isAlive), { timeout: 20_000 }).toEqual([false, false]);
    expect([third === second, (await fetch(`${url}/api/health`)).status]).toEqual([false, 200]);
    // None of the processes that have ended took the file of the socket with it.
    expect(await overSocket(path)).toBe(200);
    await expect
      .poll(() => json('status'), { timeout: 20_000 })
      .toMatchObject({ pid, workers: { serving: 2, wanted: 2 } });
  } finally {
    process.kill(pid, 'SIGTERM');
  }
  await expect.poll(() => isAlive(pid), { timeout: 20_000 }).toBe(false);
}, 120_000);
