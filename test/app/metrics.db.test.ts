// What Prometheus is told by a server: who may ask, and that each figure follows what happens (licensing 4.2; A151).
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createScheduler } from '#kernel/jobs/scheduler.ts';
import * as honeypots from '#licensing/insight/honeypots/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { createOwner } from '#platform/accounts/index.ts';
import { capabilities } from '../../src/app/capabilities.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { openBrowser } from '../support/browser.ts';
import { nothing } from '../support/database-changes.ts';
import { job, runDue } from '../support/jobs.ts';
import { type MetricsText, parseMetrics } from '../support/metrics-text.ts';
import { eventually } from '../support/server-process.ts';

let app: TestApp;
let apiKey: string;
beforeAll(async () => {
  app = await startApp({ metrics: true });
  apiKey = (await app.apiKey('FULL_ADMIN')).secret;
});
afterAll(() => app.close());
// A reading counts for ten seconds, and longer when it took long.
beforeEach(() => app.clock.advance(3600));

const ask = (headers: Record<string, string> = {}) => app.send('/metrics', { headers });
/** After the last reading has had its time. */
async function read(): Promise<MetricsText> {
  app.clock.advance(60);
  return parseMetrics((await ask()).text);
}

describe('who may ask', () => {
  it('this machine may, and nothing is written', async () => {
    const { result, changes } = await app.changesBy(() => ask());
    expect([result.status, result.headers['content-type'], result.headers['cache-control']]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
      'no-store',
    ]);
    expect(changes).toEqual(nothing);
  });

  it.each(['X-Forwarded-For', 'Forwarded', 'X-Real-IP', 'Via'])(
    'what a proxy on this machine passes on is 404: %s',
    async (name) => {
      expect(await ask({ [name]: '127.0.0.1' })).toMatchObject({ status: 404, text: '' });
    },
  );

  it('with a token whoever has it may, and nobody else, not even this machine', async () => {
    const other = await startApp({ metrics: true, metricsToken: 'a-long-secret' });
    try {
      const status = async (headers: Record<string, string>) =>
        (await other.send('/metrics', { headers })).status;
      const right = { Authorization: 'Bearer a-long-secret' };
      expect(await status(right)).toBe(200);
      expect(await status({ ...right, 'X-Forwarded-For': '192.0.2.1' })).toBe(200);
      for (const Authorization of ['', 'Bearer ', 'Bearer a-long-secre', 'a-long-secret'])
        expect([Authorization, await status({ Authorization })]).toEqual([Authorization, 404]);
      expect(await status({})).toBe(404);
    } finally {
      await other.close();
    }
  });
});

describe('GET /api/v1/admin/metrics', () => {
  it('answers the same to staff of the whole installation, and to those of one tenant 403', async () => {
    const everywhere = await app.adminToken('viewer', { isInstanceWide: true });
    const { status, text } = await app.admin('/metrics', everywhere);
    expect([status, [...parseMetrics(text).helps]]).toEqual([
      200,
      [...parseMetrics((await ask()).text).helps],
    ]);
    const confined = await app.adminToken('owner', { isInstanceWide: true });
    const scopes = JSON.stringify({ license_product: [(await app.product()).id] });
    await app.instance.database.transaction(async ({ knex }) => {
      await knex('admin_tokens').where({ id: confined.id }).update({ scopes });
    });
    for (const token of [await app.adminToken('owner'), confined]) {
      const { body } = await app.admin('/metrics', token);
      expect(body.error).toMatchObject({
        code: 'INSUFFICIENT_SCOPE',
        details: { reason: 'TENANT_TOKEN', hint: expect.stringContaining('--instance') },
      });
    }
  });

  it('is 404 with what turns it on while metrics are off, as /metrics is without it', async () => {
    const other = await startApp();
    try {
      const { status, body } = await other.admin(
        '/metrics',
        await other.adminToken('owner', { isInstanceWide: true }),
      );
      expect([status, body.error?.details]).toEqual([404, { hint: 'start it with APPCTL_METRICS=on' }]);
      expect((await other.get('/metrics')).status).toBe(404);
    } finally {
      await other.close();
    }
  });
});

it('requests are told by endpoint and status, errors by code', async () => {
  const path = '/api/v1/license/validate';
  await app.post(path, {}, apiKey);
  await app.post(path, {});
  const { value } = await read();
  const labels = { method: 'POST', route: path };
  expect(value('appctl_http_request_seconds_count', { ...labels, status: '400' })).toBe(1);
  expect(value('appctl_http_errors_total', { ...labels, code: 'VALIDATION_ERROR' })).toBe(1);
  expect(value('appctl_http_errors_total', { ...labels, code: 'API_KEY_REQUIRED' })).toBe(1);
});

it('denials are told by endpoint and reason, also of an answer of 200', async () => {
  const { key, id } = await app.license({ maxActivations: 1 });
  const validate = (sent: string) =>
    app.post('/api/v1/license/validate', { key: sent, machineId: 'machine-a' }, apiKey);
  const denied = async (route: string, code: string) =>
    (await read()).value('appctl_license_denials_total', { route, code });
  await validate(key);
  await licenses.suspend(app.ctx, id, { reason: 'ADMIN', note: null });
  expect((await validate(key)).status).toBe(200);
  await validate(key);
  await validate('NO-SUCH-KEY');
  const route = '/api/v1/license/validate';
  expect(await denied(route, 'SUSPENDED')).toBe(2);
  expect(await denied(route, 'NOT_FOUND')).toBe(1);
});

it('licenses are told by the status that they show, without trashed ones and honeypots', async () => {
  const statuses = async () => {
    const { value } = await read();
    return ['ACTIVE', 'EXPIRED', 'SUSPENDED', 'REVOKED'].map((status) =>
      value('appctl_licenses', { status }),
    );
  };
  const before = await statuses();
  const make = async (extra: Parameters<TestApp['license']>[0] = {}) => (await app.license(extra)).id;
  const validUntil = new Date(app.clock.epochMs() + 3000).toISOString();
  const trashed = [await make(), await make({ type: 'SUBSCRIPTION', validUntil })];
  await make({ type: 'SUBSCRIPTION', validUntil });
  await make();
  await licenses.suspend(app.ctx, await make(), { reason: 'ADMIN', note: null });
  for (const id of trashed) await licenses.trash(app.ctx, id, null);
  await honeypots.create(app.ctx, { productId: (await app.product()).id, label: 'leak' });
  const after = await statuses();
  expect(after.map((value, i) => (value ?? 0) - (before[i] ?? 0))).toEqual([1, 1, 1, 0]);
});

it('seats in use are told by kind; a lease that has run out holds none', async () => {
  const seats = async () => {
    const { value } = await read();
    return ['machine', 'floating'].map((kind) => value('appctl_seats_in_use', { kind }));
  };
  const activate = async (name: string, key: string) => {
    const sent = { key, machineId: 'machine-a', machineName: 'desk' };
    expect((await app.post(`/api/v1/license/${name}`, sent, apiKey)).status).toBeLessThan(300);
  };
  expect(await seats()).toEqual([0, 0]);
  await activate('activate', (await app.license()).key);
  const floating = await app.license({ type: 'FLOATING', validUntil: null });
  await activate('checkout', floating.key);
  expect(await seats()).toEqual([1, 1]);
  app.clock.advance(31 * 86_400);
  expect(await seats()).toEqual([1, 0]);
});

it('the outbox is told by how much waits and how long the oldest that is due', async () => {
  const { database } = app.instance;
  const row = (name: string, seconds: number, done: boolean) => {
    const id = `out_${name.padStart(26, '0')}`;
    const at = new Date(app.clock.epochMs() + seconds * 1000).toISOString();
    const done_at = done ? at : null;
    return {
      id,
      kind: 'mail',
      target: id,
      ref_id: id,
      available_at: at,
      created_at: at,
      done_at,
      attempts: 0,
    };
  };
  const rows = [row('due', 0, false), row('later', 9999, false), row('done', 0, true)];
  await database.transaction(async ({ knex }) => {
    await knex('outbox').insert(rows);
  });
  const { value } = await read();
  expect([value('appctl_outbox_depth'), value('appctl_outbox_lag_seconds')]).toEqual([2, 60]);
  await database.transaction(async ({ knex }) => {
    await knex('outbox').delete();
  });
  expect((await read()).value('appctl_outbox_lag_seconds')).toBe(0);
});

it('open sessions of staff are told until they end', async () => {
  const owner = { email: 'ops@x.test', password: 'correct horse' };
  await createOwner(app.ctx, { ...owner, name: 'Ops' });
  const sessions = async () => (await read()).value('appctl_staff_sessions');
  expect(await sessions()).toBe(0);
  await openBrowser(app.send).submit('/admin/login', owner);
  expect(await sessions()).toBe(1);
  app.clock.advance(2 * 3600);
  expect(await sessions()).toBe(0);
});

it('the number of the last entry of the audit log is told', async () => {
  const sequence = async () => (await read()).value('appctl_audit_sequence');
  const before = Number(await sequence());
  await app.product({}, app.ctx.with({ actor: { kind: 'cli', id: null, label: 'ops' } }));
  expect(await sequence()).toBe(before + 1);
});

it('purchases that wait on disk are told', async () => {
  const folder = join(app.instance.config.dataDir, 'spool', 'inbound');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, '01M82Q25AECS7RJD81DNR8W8VV.json'), '{}');
  const { value } = await read();
  expect([value('appctl_spool_depth'), value('appctl_inbound_waiting')]).toEqual([1, 0]);
});

describe('jobs', () => {
  const name = 'license-expiry';
  const figures = async () => {
    const { value } = await read();
    return ['success_age_seconds', 'failed', 'overdue_seconds'].map((one) =>
      value(`appctl_job_${one}`, { job: name }),
    );
  };
  /** Runs the job of this name as a server does, with another outcome. */
  const runs = async (isOk: boolean) => {
    const work = async () => {
      if (!isOk) throw new Error('no luck');
      return {};
    };
    const scheduler = createScheduler([job(name, work, { everySeconds: 60 })], 'one');
    await runDue(scheduler, app.ctx, 0);
  };

  it('are told by the age of their last success, which a failure does not change', async () => {
    await runs(true);
    expect(await figures()).toEqual([60, 0, 0]);
    await runs(false);
    expect(await figures()).toEqual([120, 1, 0]);
    expect(await figures()).toEqual([180, 1, 60]);
    await runs(true);
    expect(await figures()).toEqual([60, 0, 0]);
  });

  it('are told of whose service is served, by their names', async () => {
    const { samples } = await read();
    const told = samples.filter((one) => one.name === 'appctl_job_failed').map(({ labels }) => labels.job);
    const own = capabilities.flatMap(({ jobs = [] }) => jobs).filter(({ everyProcess }) => !everyProcess);
    expect(told).toEqual(own.map((one) => one.name).sort());
    const other = await startApp({ metrics: true, licensing: 'off' });
    try {
      // Their rows are made behind the start.
      await eventually(async () => {
        other.clock.advance(60);
        const { types, samples } = parseMetrics((await other.get('/metrics')).text);
        const jobs = samples.flatMap(({ labels }) => labels.job ?? []);
        expect([types.has('appctl_licenses'), jobs.includes(name)]).toEqual([false, false]);
        return jobs.includes('purge-sessions');
      });
    } finally {
      await other.close();
    }
  });
});
