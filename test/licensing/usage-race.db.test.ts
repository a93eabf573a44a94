// 200 uses at once by a server and another process, of a license that has 100: exactly 100 are counted, each mark is
// told once, and the counter is the sum of its records (D78, D79, licensing 5.3; reliability M3).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as products from '#licensing/catalog/products/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import * as usage from '#licensing/licenses/usage/index.ts';
import * as apiKeys from '#platform/api-keys/index.ts';
import type { Instance } from '../../src/app/instance.ts';
import { type Installation, prepareInstallation } from '../cli/prepared-installation.ts';
import { compileCache } from '../support/cli-process.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../support/database.ts';
import { type HttpClient, openHttpClient } from '../support/http-client.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';

const MAX = 100;
let database: FreshDatabase;
let installation: Installation;
let instance: Instance;
let server: ServerProcess;
let client: HttpClient;
let apiKey: string;
let command: ReturnType<typeof openCommand>;
beforeAll(async () => {
  database = await migratedDatabaseUrl();
  installation = await prepareInstallation(database.url);
  instance = await installation.open();
  const scope = 'VALIDATE_ONLY';
  const made = await apiKeys.create(instance.ctx, {
    service: 'license',
    name: 'race',
    scope,
    scopes: [scope],
  });
  apiKey = made.secret;
  command = openCommand();
  [server] = await Promise.all([
    startServer([], { cwd: installation.cwd, env: environment() }),
    command.answer(),
  ]);
  client = openHttpClient(server.url);
});
afterAll(async () => {
  client.close();
  await Promise.all([server.stop(), command.stop()]);
  await instance.close();
  installation.remove();
  await database.drop();
});

const environment = () => ({
  APPCTL_DATA_DIR: join(installation.cwd, 'data'),
  APPCTL_DATABASE_URL: database.url,
  APPCTL_RATE_LIMIT: 'off',
});

function openCommand() {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../support/usage-process.ts')], {
    cwd: installation.cwd,
    env: {
      PATH: '/usr/bin:/bin',
      HOME: installation.cwd,
      NODE_COMPILE_CACHE: compileCache,
      ...environment(),
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async () => JSON.parse(String((await lines.next()).value)) as string[];
  return {
    answer,
    record(licenseKey: string, calls: number) {
      child.stdin.write(`${JSON.stringify({ licenseKey, calls })}\n`);
      return answer();
    },
    stop() {
      child.stdin.end();
      return ended;
    },
  };
}

async function recordByServer(licenseKey: string, calls: number, headers: Record<string, string> = {}) {
  const body = { key: licenseKey, feature: 'server' };
  const send = async () => {
    const reply = await client.send('/api/v1/license/record-usage', { key: apiKey, body, headers });
    return reply.status === 200 ? 'recorded' : String(reply.body.error?.code);
  };
  return Promise.all(Array.from({ length: calls }, send));
}

async function makeLicense(slug: string) {
  const { id: productId } = await products.create(instance.ctx, { name: slug, slug });
  const input = { productId, customerEmail: 'ann@x.test', maxUses: MAX };
  const { license } = await licenses.create(instance.ctx, input, { source: 'CLI', idempotency: null });
  return { id: license.id, key: String(licenses.licenseView(instance.ctx, license, { reveal: true }).key) };
}

/** How often each event of usage was told. */
async function eventsOf(subject: string): Promise<Record<string, number>> {
  const rows: { type: string }[] = await instance.database.db
    .knex('events')
    .where({ subject })
    .whereLike('type', 'USAGE_%');
  return Object.fromEntries(
    Object.entries(Object.groupBy(rows, ({ type }) => type)).map(([type, of]) => [type, of?.length ?? 0]),
  );
}

const count = (outcomes: string[], wanted: string) => outcomes.filter((outcome) => outcome === wanted).length;

it('200 calls of two processes on maxUses 100: exactly 100 succeed', async () => {
  const { id, key } = await makeLicense('two-processes');
  const outcomes = (await Promise.all([recordByServer(key, MAX), command.record(key, MAX)])).flat();
  expect([count(outcomes, 'recorded'), count(outcomes, 'USAGE_LIMIT_EXCEEDED')]).toEqual([MAX, MAX]);
  expect(await eventsOf(id)).toEqual({ USAGE_RECORDED: MAX, USAGE_WARNING: 1, USAGE_EXHAUSTED: 1 });
  const counter = await usage.show(instance.ctx, id);
  expect(counter).toMatchObject({ current: MAX, remaining: 0, percentUsed: 100 });
  const parts = Object.values(counter.byFeature).reduce((sum, part) => sum + part, 0);
  expect(parts).toBe(MAX);
  const { items, pagination } = await usage.list(instance.ctx, id, { page: 1, limit: 500 });
  expect(pagination.total).toBe(MAX);
  // Every value of the counter was reached by one call.
  const reached = items.map(({ counterAfter }) => counterAfter).sort((a, b) => a - b);
  expect(reached).toEqual(Array.from({ length: MAX }, (_, index) => index + 1));
});

it('a reset between them loses no call and leaves a sum that is right', async () => {
  const { id, key } = await makeLicense('reset-between');
  const sides = [recordByServer(key, 30), command.record(key, 30)];
  await usage.reset(instance.ctx, id);
  const outcomes = (await Promise.all(sides)).flat();
  expect(count(outcomes, 'recorded')).toBe(60);
  const { current, byFeature } = await usage.show(instance.ctx, id);
  expect(Object.values(byFeature).reduce((sum, part) => sum + part, 0)).toBe(current);
  const { pagination } = await usage.list(instance.ctx, id, { page: 1, limit: 1 });
  expect(pagination.total).toBe(60);
});
