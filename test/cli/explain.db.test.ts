// What support asks: why a request was refused, what would happen, who needs more seats, what goes on right now.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addSeconds } from '#kernel/clock.ts';
import * as policies from '#licensing/catalog/policies/index.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { ACTIONS } from '#licensing/insight/simulator/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { activate } from '#licensing/licenses/machines/index.ts';
import * as apiKeys from '#platform/api-keys/index.ts';
import type { Instance } from '../../src/app/instance.ts';
import { commandTree } from '../../src/cli/index.ts';
import { simulatedActions } from '../../src/cli/simulate/spec.ts';
import { errorOf, program } from '../support/cli-process.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../support/database.ts';
import { openHttpClient } from '../support/http-client.ts';
import { startServer } from '../support/server-process.ts';
import { type Installation, prepareInstallation } from './prepared-installation.ts';

const unknownId = 'lic_00000000000000000000000000';

let it: Installation;
let database: FreshDatabase;
let instance: Instance;
let license: { id: string; key: string };
let secret: string;
beforeAll(async () => {
  database = await migratedDatabaseUrl();
  it = await prepareInstallation(database.url);
  instance = await it.open();
  const { ctx } = instance;
  const policy = await policies.create(ctx, { name: 'office', gracePeriodSeconds: 60 });
  const product = await products.create(ctx, { name: 'Editor', slug: 'editor', policyId: policy.id });
  const made = await licenses.create(
    ctx,
    { productId: product.id, customerEmail: 'ann@x.test', type: 'FLOATING', maxActivations: 1 },
    { source: 'CLI', idempotency: null },
  );
  const key = String(licenses.licenseView(ctx, made.license, { reveal: true }).key);
  license = { id: made.license.id, key };
  await activate(ctx, { licenseKey: key, machineId: 'machine-0001', machineName: 'desk' });
  secret = (await apiKeys.create(ctx, { service: 'license', name: 'ci', scope: 'FULL_ADMIN', scopes: [] }))
    .secret;
});
afterAll(async () => {
  await instance.close();
  it.remove();
  await database.drop();
});

/** Runs a command here; its JSON is judged by the schema that the command declares. */
async function json<T = Record<string, unknown>>(...words: string[]): Promise<T> {
  const run = await it.inside([...words, '--json']);
  expect({ words, code: run.code, stderr: run.stderr }).toEqual({ words, code: 0, stderr: '' });
  const specs = (await commandTree()).specs.filter(({ path }) =>
    `${words.join(' ')} `.startsWith(`${path} `),
  );
  const schema = await specs.at(-1)?.output?.();
  return schema?.parse(JSON.parse(run.stdout)) as T;
}

/** What a person reads; the rest of the terminal is not asked for. */
const text = async (...words: string[]) => (await it.inside(words)).stdout;

async function refused(code: number, words: string[], message: RegExp) {
  const run = await it.inside([...words, '--json']);
  expect({ words, code: run.code, stdout: run.stdout }).toEqual({ words, code, stdout: '' });
  expect(errorOf(run).message).toMatch(message);
}

interface Request {
  id: string;
  code: string;
}

describe('with a server beside it', () => {
  let server: Awaited<ReturnType<typeof startServer>>;
  let requestId: string;
  beforeAll(async () => {
    const env = { APPCTL_DATA_DIR: join(it.cwd, 'data'), APPCTL_DATABASE_URL: database.url };
    server = await startServer([], { cwd: it.cwd, env });
    const client = openHttpClient(server.url);
    const body = { key: license.key, machineId: 'machine-0002' };
    const answer = await client.send('/api/v1/license/checkout', { key: secret, body });
    client.close();
    requestId = String(answer.body.requestId);
  });
  afterAll(() => server.stop());

  test('license why explains the refusal of a moment ago', async () => {
    const why = await json('license', 'why', requestId);
    expect(why).toMatchObject({
      id: requestId,
      route: '/api/v1/license/checkout',
      status: 400,
      code: 'SEAT_LIMIT_REACHED',
      licenseId: license.id,
      facts: { action: 'checkout', code: 'SEATS_EXHAUSTED', used: 1 },
    });
    const words = await text('license', 'why', requestId);
    expect(words).toContain('checkout: Every seat is taken by another machine.');
    expect(words).toMatch(/^ {2}no {2}a seat is free +1 of 1 in use$/m);
    expect(words).not.toContain(license.key);
    const { stderr } = await it.inside(['license', 'why', requestId]);
    expect(stderr).toContain(`Next: appctl license free-seat ${license.id} --oldest`);
  });

  test('requests list filters; license seats --denied counts it', async () => {
    const codesOf = async (...words: string[]) =>
      (await json<{ items: Request[] }>('requests', 'list', ...words)).items.map(({ code }) => code);
    expect(await codesOf('--license', license.id)).toEqual(['SEAT_LIMIT_REACHED']);
    expect(await codesOf('--status', '400', '--since', '1h', '--ip', '127.0.0.1')).toHaveLength(1);
    expect(await codesOf('--code', 'NOT_FOUND')).toEqual([]);
    expect(await text('requests', 'list')).toContain('POST /api/v1/license/checkout');
    expect(await json('license', 'seats', '--denied')).toMatchObject({
      items: [{ licenseId: license.id, denied: 1, days: 1, distinctMachines: 1, seatsTotal: 1 }],
      pagination: { total: 1 },
    });
  });

  test('events tail --follow tells what happens from now on, until Ctrl-C', async () => {
    const child = spawn(
      process.execPath,
      [program, 'events', 'tail', '--license', license.id, '--last', '1', '--follow', '--json'],
      {
        env: {
          PATH: '/usr/bin:/bin',
          HOME: it.cwd,
          APPCTL_DATA_DIR: join(it.cwd, 'data'),
          APPCTL_DATABASE_URL: database.url,
        },
      },
    );
    const lines: string[] = [];
    child.stdout.setEncoding('utf8');
    const nextLine = async () => {
      const known = lines.length;
      while (lines.length === known)
        lines.push(
          ...String((await once(child.stdout, 'data'))[0])
            .trimEnd()
            .split('\n'),
        );
      return JSON.parse(lines.at(-1) ?? '') as { type: string };
    };
    expect(await nextLine()).toMatchObject({ type: 'SEAT_DENIED' });
    await licenses.suspend(instance.ctx, license.id, { reason: 'ADMIN', note: null });
    expect(await nextLine()).toMatchObject({ type: 'LICENSE_SUSPENDED', licenseId: license.id });
    await licenses.reinstate(instance.ctx, license.id);
    expect(await nextLine()).toMatchObject({ type: 'LICENSE_REINSTATED' });
    expect(lines).toHaveLength(3);
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([null, 'SIGINT']);
  });
});

test('license why ends with 3 for what was not recorded', async () => {
  await refused(3, ['license', 'why', 'req_00000000000000000000000000'], /was not recorded/);
});

describe('simulate', () => {
  test('offers the actions of the service', () => {
    expect(simulatedActions).toEqual(ACTIONS);
  });

  test('answers as JSON and in words, as things are and as if they were changed', async () => {
    const checkout = ['simulate', license.id, '--action', 'checkout', '--machine', 'machine-0009'];
    expect(await json(...checkout)).toMatchObject({
      answer: { httpStatus: 400, body: { error: { code: 'SEAT_LIMIT_REACHED' } } },
      policySource: 'product',
    });
    expect(await text(...checkout)).toMatch(/^refused: 400 SEAT_LIMIT_REACHED {2}Every seat is taken/);
    const at = ['--at', '2030-01-01T00:00Z'];
    const more = [...checkout, '--set', 'license.maxActivations=2', '--lease', '60', ...at];
    expect(await json(...more)).toMatchObject({
      decision: { allowed: true, leaseExpiresAt: '2030-01-01T00:01:00.000Z' },
      evaluatedAt: '2030-01-01T00:00:00.000Z',
    });
    expect(await text(...more)).toMatch(/^allowed: 200 VALID {2}Seat checked out\n/);
    const version = ['--action', 'validate', '--machine', 'machine-0001', '--app-version', '2.0'];
    const capped = await json('simulate', license.id, ...version, '--set', 'policy.maxVersion=1');
    expect(capped).toMatchObject({ decision: { code: 'VERSION_NOT_ALLOWED', versionAllowed: false } });
  });

  test('refuses what is wrong, naming the flag', async () => {
    const ask = ['simulate', license.id, '--action', 'validate'];
    await refused(2, ['simulate', license.id], /--action/);
    await refused(2, ['simulate', license.id, '--action', 'guess'], /--action/);
    await refused(2, [...ask, '--at', 'soon'], /--at 'soon' is not a valid time/);
    await refused(2, [...ask, '--machine', 'short'], /--machine must have at least 8/);
    await refused(2, [...ask, '--set', 'maxUses=1'], /--set 'maxUses' does not name a field/);
    await refused(2, [...ask, '--set', 'license.maxUses=many'], /--set license maxUses must be/);
    await refused(2, [...ask, '--set', 'license.__proto__=1'], /unknown: __proto__/);
    await refused(2, ['simulate', license.id, '--action', 'renew'], /--valid-until is required/);
    await refused(3, ['simulate', unknownId, '--action', 'validate'], /license .* was not found/);
  });
});

test('license validate names the rules in words and tells nobody else', async () => {
  const words = await it.inside([
    'license',
    'validate',
    '--license',
    license.id,
    '--machine',
    'machine-0002',
  ]);
  expect(words.code).toBe(5);
  expect(words.stdout).toMatch(/^not valid \(NOT_ACTIVATED\): The machine has no live activation/);
  expect(words.stdout).toMatch(/^ {2}ok {2}not suspended$/m);
  expect(words.stdout).toMatch(
    /^ {2}- {3}version is covered +maxVersion none, version not sent \(not checked\)$/m,
  );
});

describe('policy impact', () => {
  const setEnd = (at: string | null) =>
    instance.ctx.tx((ctx) => ctx.db.knex('licenses').where({ id: license.id }).update({ valid_until: at }));

  test('takes the flags of update and changes nothing', async () => {
    expect(await json('policy', 'impact', 'office', '--max-version', '1')).toEqual({
      affectedLicenses: 1,
      wouldChangeAnswer: 0,
      transitions: [],
      samples: [],
      truncated: false,
    });
    const { ctx } = instance;
    const hourAgo = addSeconds(ctx.now(), -3600);
    await setEnd(hourAgo);
    const impact = ['policy', 'impact', 'office', '--grace', '86400'];
    expect(await json(...impact)).toMatchObject({
      wouldChangeAnswer: 1,
      transitions: [{ from: 'EXPIRED', to: 'GRACE', count: 1 }],
      samples: [{ licenseId: license.id, machineId: 'machine-0001' }],
    });
    expect(await text(...impact)).toContain(
      '1 license is under this policy; 1 answer of validate would change.',
    );
    await setEnd(null);
    expect((await policies.get(ctx, 'office')).gracePeriodSeconds).toBe(60);
  });

  test('refuses as update does', async () => {
    await refused(2, ['policy', 'impact', 'office'], /nothing to change/);
    await refused(2, ['policy', 'impact', 'office', '--max-version', 'x'], /--max-version must be/);
    await refused(3, ['policy', 'impact', 'nope', '--grace', '1'], /policy .* was not found/);
  });
});

describe('license seats', () => {
  test('shows floating licenses with their seats in use', async () => {
    expect(await json('license', 'seats', '--product', 'editor')).toMatchObject({
      items: [
        {
          licenseId: license.id,
          customerEmail: 'ann@x.test',
          status: 'ACTIVE',
          seatsUsed: 1,
          seatsTotal: 1,
          seatsAvailable: 0,
        },
      ],
    });
    expect(await text('license', 'seats')).toMatch(/USED +OF +FREE\n/);
  });

  test('refuses a time that belongs to nothing or is none, and an unknown product', async () => {
    await refused(2, ['license', 'seats', '--since', '30d'], /--since only works with --denied/);
    await refused(2, ['license', 'seats', '--denied', '--since', '30x'], /--since '30x' is not a valid time/);
    await refused(3, ['license', 'seats', '--product', 'nope'], /product .* was not found/);
  });
});

describe('events tail', () => {
  test('shows the last ones, those since a time, those of a type or a license', async () => {
    const typesOf = async (...words: string[]) => {
      const { stdout } = await it.inside(['events', 'tail', ...words, '--json']);
      const lines = stdout.split('\n').filter((line) => line !== '');
      return lines.map((line) => (JSON.parse(line) as { type: string }).type);
    };
    expect((await typesOf('--license', license.id)).slice(0, 2)).toEqual([
      'LICENSE_CREATED',
      'LICENSE_ACTIVATED',
    ]);
    expect(await typesOf('--type', 'CUSTOMER_CREATED')).toEqual(['CUSTOMER_CREATED']);
    expect(await typesOf('--last', '0')).toEqual([]);
    expect((await typesOf('--since', '1h')).length).toBeGreaterThan(4);
    expect(await typesOf('--since', '2200-01-01')).toEqual([]);
    expect(await text('events', 'tail', '--type', 'LICENSE_ACTIVATED')).toMatch(
      /LICENSE_ACTIVATED {2}lic_\w+ {2}by system {2}status=ACTIVE {2}machineId=machine-0001 {2}machineName=desk\n$/,
    );
    expect(await typesOf('--license', unknownId)).toEqual([]);
  });

  test('refuses a form that is no stream and times that are none', async () => {
    await refused(2, ['events', 'tail', '--since', 'yesterday'], /is not a valid time/);
    expect((await it.inside(['events', 'tail', '--plain'])).code).toBe(2);
    await refused(2, ['events', 'tail', '--since', '1h', '--last', '3'], /--last|--since/);
  });
});
