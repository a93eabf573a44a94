// `appctl dev clock`: the clock of a server with --dev, which its jobs follow; a production server refuses.
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as products from '#licensing/catalog/products/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import type { Instance } from '../../src/app/instance.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../support/database.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import { newestEvents } from '../support/timeline.ts';
import { type Installation, prepareInstallation } from './prepared-installation.ts';

let database: FreshDatabase;
let installation: Installation;
let instance: Instance;
let server: ServerProcess | null = null;
beforeAll(async () => {
  database = await migratedDatabaseUrl();
  installation = await prepareInstallation(database.url);
  instance = await installation.open();
});
afterAll(async () => {
  await server?.stop();
  await instance.close();
  installation.remove();
  await database.drop();
});

async function serve(...args: string[]): Promise<void> {
  await server?.stop();
  const env = { APPCTL_DATA_DIR: `${installation.cwd}/data`, APPCTL_DATABASE_URL: database.url };
  server = await startServer(args, { cwd: installation.cwd, env });
}

const clock = (...args: string[]) =>
  installation.answer<{ now: string; shiftSeconds: number }>(['dev', 'clock', ...args]);
const refusal = async (...args: string[]) => {
  const { code, stderr } = await installation.inside(['dev', 'clock', ...args]);
  return [code, stderr];
};

/** Whether the server has finished a run of a job: the next one is an interval away, by the clock at its end. */
async function hasRun(name: string): Promise<boolean> {
  const row = await instance.database.db.knex('scheduled_jobs').where({ name }).first();
  return row?.last_status === 'ok' && row.locked_until === null;
}

it('moves the server, whose own job announces what expires', async () => {
  const { id: productId } = await products.create(instance.ctx, { name: 'Editor', slug: 'editor' });
  const validUntil = new Date(Date.parse(instance.ctx.now()) + 30 * 86_400_000).toISOString();
  const input = { productId, customerEmail: 'ann@x.test', validUntil };
  const { license } = await licenses.create(instance.ctx, input, { source: 'CLI', idempotency: null });
  await serve('--dev');
  expect((await clock()).shiftSeconds).toBe(0);
  while (!(await hasRun('license-expiry'))) await pause(50);
  expect((await clock('--advance', '31d')).shiftSeconds).toBe(31 * 86_400);
  // A command on the same data directory goes by that clock, before any job has found out.
  const validate = ['license', 'validate', '--license', license.id, '--machine', 'machine-0001', '--json'];
  const validated = await installation.inside(validate);
  expect([validated.code, JSON.parse(validated.stdout).code]).toEqual([5, 'EXPIRED']);
  const types = async () => (await newestEvents(instance.ctx, license.id, 10)).map(({ type }) => type);
  while (!(await types()).includes('LICENSE_EXPIRED')) await pause(100);
  expect((await clock('--now', '2040-01-01T00:00:00Z')).now).toMatch(/^2040-01-01T00:00:0/);
  const day = new Date('2041-01-31T00:00:00').toISOString().slice(0, 18);
  expect((await clock('--now', '2041-01-31')).now).toContain(day);
  const moved = await installation.inside(['dev', 'clock', '--advance', '1d']);
  expect(moved.stderr).toMatch(/stays EXPIRED after --reset[\s\S]*throw away/);
  expect((await installation.inside(['dev', 'clock'])).stderr).toBe('');
  expect((await clock('--reset')).shiftSeconds).toBe(0);
  expect(await refusal('--now', 'tomorrow')).toEqual([2, expect.stringContaining('now')]);
}, 60_000);

it('a production server refuses, and so does nobody', async () => {
  await serve();
  expect(await refusal('--advance', '1d')).toEqual([5, expect.stringContaining('appctl serve --dev')]);
  await server?.stop();
  server = null;
  expect(await refusal('--advance', '1d')).toEqual([9, expect.stringContaining('no server is running')]);
}, 60_000);
