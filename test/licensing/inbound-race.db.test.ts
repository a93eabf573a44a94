// 1,000 copies of one event over two processes and a restart: one license per unit, every answer 200 (row A171).
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sleep } from '#kernel/clock.ts';
import * as products from '#licensing/catalog/products/index.ts';
import * as integrations from '#licensing/purchases/integrations/index.ts';
import type { Instance } from '../../src/app/instance.ts';
import { type Installation, prepareInstallation } from '../cli/prepared-installation.ts';
import { compileCache } from '../support/cli-process.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../support/database.ts';
import { openHttpClient } from '../support/http-client.ts';
import { hmac, purchase, secret } from '../support/inbound.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';

type Reply = { status: number; body: Record<string, unknown> };
type Rival = { send(event: object, copies: number): Promise<Reply[]>; stop(): Promise<unknown> };

let database: FreshDatabase;
let installation: Installation;
let instance: Instance;
let configId: string;
let server: Rival;
let other: Rival;
beforeAll(async () => {
  database = await migratedDatabaseUrl();
  installation = await prepareInstallation(database.url);
  instance = await installation.open();
  const { config } = await integrations.create(instance.ctx, {
    processor: 'GENERIC',
    signingSecret: secret,
  });
  configId = config.id;
  const product = await products.create(instance.ctx, { name: 'Editor', slug: 'editor' });
  await integrations.mapProduct(instance.ctx, configId, {
    externalProductId: 'price_1',
    productId: product.id,
  });
  [server, other] = await Promise.all([overHttp(), besideIt()]);
});
afterAll(async () => {
  await Promise.all([server.stop(), other.stop()]);
  await instance.close();
  installation.remove();
  await database.drop();
});

const environment = () => ({
  APPCTL_DATA_DIR: join(installation.cwd, 'data'),
  APPCTL_DATABASE_URL: database.url,
  APPCTL_RATE_LIMIT: 'off',
});

async function overHttp(): Promise<Rival & { process: ServerProcess }> {
  const process = await startServer([], { cwd: installation.cwd, env: environment() });
  const client = openHttpClient(process.url);
  return {
    process,
    send: (event, copies) => {
      const body = JSON.stringify(event);
      const headers = { 'X-Signature': hmac(secret, body).toString('hex') };
      const sent = { method: 'POST', body, headers };
      const path = `/api/v1/webhooks/inbound/${configId}`;
      return Promise.all(Array.from({ length: copies }, () => client.send(path, sent)));
    },
    stop: () => {
      client.close();
      return process.stop();
    },
  };
}

async function besideIt(): Promise<Rival> {
  const { cwd } = installation;
  const program = join(import.meta.dirname, '../support/inbound-process.ts');
  const child: ChildProcess = spawn(process.execPath, [program], {
    cwd,
    env: { PATH: '/usr/bin:/bin', HOME: cwd, NODE_COMPILE_CACHE: compileCache, ...environment() },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const input = child.stdout as NonNullable<typeof child.stdout>;
  const lines = createInterface({ input })[Symbol.asyncIterator]();
  const answer = async () => JSON.parse(String((await lines.next()).value));
  await answer();
  return {
    send: async (event, copies) => {
      const body = JSON.stringify(event);
      const signature = hmac(secret, body).toString('hex');
      child.stdin?.write(`${JSON.stringify({ configId, body, signature, copies })}\n`);
      return ((await answer()) as Reply['body'][]).map((reply) => ({ status: 200, body: reply }));
    },
    stop: () => {
      child.stdin?.end();
      return ended;
    },
  };
}

const count = (replies: Reply[], wanted: object) =>
  replies.filter(
    ({ status, body }) =>
      status === 200 && Object.entries(wanted).every(([name, value]) => body[name] === value),
  ).length;

async function made(order: string): Promise<{ licenses: number; events: number }> {
  const { knex } = instance.database.db;
  const rows: { id: string }[] = await knex('licenses').where({ order_id: order }).select('id');
  const ids = rows.map(({ id }) => id);
  const events = await knex('events').whereIn('subject', ids).where({ type: 'LICENSE_CREATED' });
  return { licenses: ids.length, events: events.length };
}

it('1,000 copies of one event, two processes: one license a unit, one event each, one answer that is no duplicate', async () => {
  const event = purchase('thousand', { items: [{ productId: 'price_1', quantity: 3 }] });
  const replies = (await Promise.all([server.send(event, 500), other.send(event, 500)])).flat();
  expect(replies).toHaveLength(1000);
  expect(count(replies, { success: true })).toBe(1000);
  // On a busy machine a copy may have been put on the disk, because the database did not answer in time.
  expect(count(replies, { duplicate: false }) - count(replies, { spooled: true })).toBe(1);
  expect(await made('order-thousand')).toEqual({ licenses: 3, events: 3 });
});

it('many events of one payment, two processes: one license', async () => {
  const events = Array.from({ length: 20 }, (_, n) =>
    purchase(`part-${n}`, { payment_id: 'one', order_id: 'one' }),
  );
  const sent = events.map((event, n) => (n % 2 === 0 ? server : other).send(event, 2));
  const replies = (await Promise.all(sent)).flat();
  expect(count(replies, { success: true })).toBe(40);
  expect(count(replies, { licensesCreated: 1 })).toBe(1);
  expect(await made('one')).toEqual({ licenses: 1, events: 1 });
});

it('a server that is killed in the middle, and the copies after its restart: one license', async () => {
  const event = purchase('killed');
  const first = server.send(event, 200).catch(() => []);
  const { process } = server as Rival & { process: ServerProcess };
  await process.stop('SIGKILL');
  await first;
  server = await overHttp();
  const replies = await server.send(event, 200);
  expect(count(replies, { success: true })).toBe(200);
  // Killed between the two transactions, it is taken up by the job that runs every 15 s.
  for (; (await made('order-killed')).licenses === 0; await sleep(200)) await server.send(event, 1);
  expect(await made('order-killed')).toEqual({ licenses: 1, events: 1 });
}, 60_000);
