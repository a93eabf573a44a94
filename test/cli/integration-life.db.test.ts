// The commands of a payment processor's webhook beside a running server: a purchase comes in, fails and is made good.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FreshDatabase, migratedDatabaseUrl } from '../support/database.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import { type Installation, prepareInstallation } from './prepared-installation.ts';

const SECRET = 'a-secret-of-the-processor';
let database: FreshDatabase;
let it: Installation;
let server: ServerProcess;
beforeAll(async () => {
  database = await migratedDatabaseUrl();
  it = await prepareInstallation(database.url);
  await it.answer(['product', 'create', '--name', 'Editor', '--slug', 'editor']);
  server = await startServer([], {
    cwd: it.cwd,
    env: {
      APPCTL_DATA_DIR: join(it.cwd, 'data'),
      APPCTL_DATABASE_URL: database.url,
      APPCTL_MODE: 'development',
      APPCTL_JOBS: 'off',
    },
  });
});
afterAll(async () => {
  await server.stop();
  it.remove();
  await database.drop();
});

// No base_url anywhere: commands learn the address from the server, which was given its port by the system.
const options = { env: { KEY: SECRET, APPCTL_MODE: 'development' } };
const answer = <T = Record<string, unknown>>(line: string, code = 0) =>
  it.answer<T>(['integration', ...line.split(' ')], { ...options, code });
const person = (line: string) => it.inside(['integration', ...line.split(' ')], options);

interface Tested {
  response: { status: number; body: Record<string, unknown> };
  licensesCreated: { id: string; type: string }[];
}
interface Events {
  items: { id: string; status: string; reason: string | null; licensesCreated: number }[];
}

describe.each(['stripe', 'square', 'generic'])('integration test of %s', (processor) => {
  test('signs a sample with the own secret; the server makes a license', async () => {
    await answer(`create --processor ${processor} --secret-env KEY`);
    await answer(`map ${processor} --external item_1 --product editor --type SUBSCRIPTION --days 30`);
    expect((await person(`events ${processor}`)).stderr).toMatch(/^Next: appctl integration test inb_\w+$/m);
    const first = await answer<Tested>(`test ${processor}`);
    expect(first.response).toMatchObject({ status: 200, body: { success: true, licensesCreated: 1 } });
    expect(first.licensesCreated).toMatchObject([{ product: 'editor', type: 'SUBSCRIPTION' }]);
    const id = first.licensesCreated[0]?.id as string;
    expect(await it.answer(['license', 'show', id])).toMatchObject({
      customer: { email: 'test@example.com' },
      orderId: expect.stringMatching(/^test-/),
    });
    const second = await answer<Tested>(`test ${processor} --email ann@x.test`);
    expect(second.licensesCreated[0]?.id).not.toBe(id);
    const { items } = await answer<Events>(`events ${processor}`);
    expect(items.map(({ status, licensesCreated }) => [status, licensesCreated])).toEqual([
      ['PROCESSED', 1],
      ['PROCESSED', 1],
    ]);
  });

  test('a dry run sends nothing', async () => {
    const plan = await answer(`test ${processor} --dry-run`);
    expect(plan).toMatchObject({ response: null, licensesCreated: [], dryRun: true });
    expect((await answer<Events>(`events ${processor}`)).items).toHaveLength(2);
  });
});

test('a purchase without a mapping ends with 6, is shown as a to-do, and is made good by map and replay', async () => {
  const refused = await answer<Tested>('test generic --external lost', 6);
  expect(refused).toMatchObject({ response: { body: { reason: 'UNMAPPED' } }, licensesCreated: [] });
  const events = await person('events generic --status FAILED');
  expect(events.stdout).toMatch(/FAILED +UNMAPPED/);
  expect(events.stderr).toMatch(/Next: appctl integration map inb_\w+ --external[\s\S]*--reason UNMAPPED/);
  const { items } = await answer<Events>('events generic --reason UNMAPPED');
  const id = items[0]?.id as string;
  expect(await answer(`replay ${id}`, 7)).toMatchObject({ summary: { failed: 1 } });
  const mapped = await person('map generic --external lost --product editor');
  expect(mapped.stderr).toMatch(/Next: appctl integration replay --integration inb_\w+ --reason UNMAPPED/);
  const foretold = await answer<{ results: object[] }>('replay --integration generic --dry-run');
  expect(foretold.results).toEqual([
    { index: 0, success: true, id, status: 'PROCESSED', reason: null, licensesCreated: 1 },
  ]);
  expect(await answer(`events show ${id}`)).toMatchObject({ status: 'FAILED', licenses: [] });
  const replayed = await answer<{ results: object[] }>('replay --integration generic --since 1h');
  expect(replayed.results).toEqual(foretold.results);
  expect(await answer(`events show ${id}`)).toMatchObject({
    status: 'PROCESSED',
    licenses: [{ externalProductId: 'lost' }],
    body: expect.stringContaining('"lost"'),
  });
  // Again makes nothing more.
  expect(await answer(`replay ${id}`)).toMatchObject({ results: [{ licensesCreated: 0 }] });
});

test('more than one replay asks first', async () => {
  for (const external of ['b', 'c']) await answer(`test generic --external ${external}`, 6);
  const asked = await it.inside(['integration', 'replay', '--integration', 'generic', '--json'], options);
  expect(asked.code).toBe(10);
  expect(await answer('replay --integration generic --yes', 7)).toMatchObject({
    summary: { total: 2, succeeded: 0, failed: 2 },
  });
  expect(await answer('replay --integration generic --limit 1', 7)).toMatchObject({ summary: { total: 1 } });
});

test('a wrong signature is no event, and events says where to look', async () => {
  const { id, url } = await answer<{ id: string; url: string }>('show stripe');
  expect(url).toBe(`${server.url}/api/v1/webhooks/inbound/${id}`);
  const reply = await fetch(`${server.url}/api/v1/webhooks/inbound/${id}`, {
    method: 'POST',
    headers: { 'stripe-signature': 't=1,v1=00' },
    body: '{}',
  });
  expect([reply.status, await reply.json()]).toMatchObject([200, { reason: 'SIGNATURE_INVALID' }]);
  const events = await person('events stripe');
  expect(events.stderr).toMatch(
    /refused in the last 24 hours[\s\S]*Next: appctl integration events refused inb_/,
  );
  expect(await answer('events refused stripe')).toMatchObject({
    items: [{ reason: 'SIGNATURE_INVALID', count: 1, ip: '127.0.0.1' }],
  });
});

test('doctor and status tell what waits', async () => {
  const doctor = await it.inside(['doctor', '--category', 'inbound', '--json'], options);
  const { checks } = JSON.parse(doctor.stdout) as { checks: { id: string; status: string; hint: string }[] };
  expect(checks.map(({ id, status }) => [id, status])).toEqual([
    ['inbound.spool', 'ok'],
    ['inbound.failed-events', 'ok'],
    ['inbound.unmapped', 'warn'],
  ]);
  expect(await it.answer(['status'], options)).toMatchObject({ queue: { inboundSpool: 0 } });
});

test('without a server the test ends with 9 and says how to start one', async () => {
  await server.stop();
  const run = await person('test generic');
  expect(run.code).toBe(9);
  expect(run.stderr).toMatch(/hint: .*appctl serve/);
});
