// Counters of a running server: `jobs run stats-flush --wait` and the end of the server write them (licensing 4.5).
import { expect, test } from 'vitest';
import { openHttpClient } from '../support/http-client.ts';
import { useServiceLife } from './service-life.ts';

const life = useServiceLife();
const { appctl, json, onDatabase } = life;
const machineId = 'machine-0001';

async function prepare() {
  await appctl(['setup', '--no-input', '--owner-email', 'o@x.test', '--generate-password', '--json']);
  await json(['product', 'create', '--name', 'Editor', '--slug', 'editor']);
  const key = await json([
    'apikey',
    'create',
    '--service',
    'license',
    '--name',
    'a',
    '--scope',
    'VALIDATE_ONLY',
  ]);
  const license = await json(['license', 'mint', '--product', 'editor', '--email', 'a@x.test', '--reveal']);
  const canary = await json(['honeypot', 'create', '--product', 'editor', '--label', 'wiki']);
  return { secret: String(key.secret), license, canary };
}

const validations = () =>
  onDatabase(async ({ knex }) => {
    const [row] = await knex('license_stats').sum('validations as n');
    return Number(row?.n ?? 0);
  });

test('are written by the server that holds them, on demand and when it stops', {
  timeout: 60_000,
}, async () => {
  const { secret, license, canary } = await prepare();
  const first = await life.serve();
  const second = life.isSqlite() ? null : await life.serve();
  const ask = async (url: string, licenseKey: unknown) => {
    const client = openHttpClient(url);
    const { status } = await client.send('/api/v1/license/validate', {
      key: secret,
      body: { licenseKey, machineId },
    });
    client.close();
    expect(status).toBe(200);
  };
  const servers = second === null ? [first] : [first, second];
  for (const { url } of servers) for (let n = 0; n < 2; n++) await ask(url, license.key);
  expect(await json(['jobs', 'run', 'stats-flush', '--wait'])).toMatchObject({
    name: 'stats-flush',
    status: 'ok',
    result: { licenses: 1, dropped: 0 },
  });
  expect(await validations()).toBe(2);
  const { items } = (await json(['jobs', 'list'])) as { items: { name: string; schedule: string }[] };
  expect(items).toContainEqual(
    expect.objectContaining({ name: 'stats-flush', schedule: 'every 10 s', lastStatus: 'ok' }),
  );
  expect(await json(['jobs', 'run', 'stats_flush'])).toEqual({ name: 'stats-flush', started: true });
  await ask(first.url, license.key);
  await ask(first.url, canary.key);
  for (const server of servers) expect((await server.stop()).code).toBe(0);
  expect(await validations()).toBe(servers.length * 2 + 1);
  const { items: hits } = (await json(['honeypot', 'hits', String(canary.id)])) as {
    items: { ip: string }[];
  };
  expect(hits).toMatchObject([{ ip: '127.0.0.1', count: 1, machineId }]);
  expect(await json(['jobs', 'run', 'stats-flush', '--wait'])).toMatchObject({ result: { licenses: 0 } });
});
