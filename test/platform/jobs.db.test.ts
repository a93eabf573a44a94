// Jobs and tasks over the admin API: who may do what, runs, pauses, schedules, and the report of a bulk run.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as roles from '#platform/roles/index.ts';
import { tenantSample } from '../contract/staff/tenants.ts';
import { type MadeKey, startApp, type TestApp } from '../support/app.ts';
import { seedRows } from '../support/resource-sample.ts';
import { eventually } from '../support/server-process.ts';
import { member } from './panel/staff.ts';

let app: TestApp;
let owner: MadeKey;
beforeAll(async () => {
  app = await startApp();
  owner = await everywhere('owner');
});
afterAll(() => app.close());

const everywhere = (role: string) => app.adminToken(role, { isInstanceWide: true });
const post = (path: string, body: object = {}, token = owner) =>
  app.admin(path, token, { method: 'POST', body });
const codeOf = async (answer: ReturnType<typeof post>) => {
  const { status, body } = await answer;
  return [status, body.error?.code ?? null];
};
const knex = () => app.instance.database.db.knex;
const jobOf = async (name: string) => (await app.admin(`/jobs/${name}`, owner)).body.job;

describe('who may', () => {
  it('see jobs: by the licensing or the system permission, of the whole installation', async () => {
    const status = async (token: MadeKey) => (await app.admin('/jobs', token)).status;
    expect(await status(await everywhere('licensing'))).toBe(200);
    expect(await status(await everywhere('viewer'))).toBe(200);
    expect(await status(await everywhere('accountant'))).toBe(403);
    const ofTenant = await app.adminToken('owner');
    for (const path of ['/jobs', '/jobs/retention', '/jobs/retention/runs', '/jobs/export'])
      expect((await app.admin(path, ofTenant)).body.error?.details).toMatchObject({ reason: 'TENANT_TOKEN' });
    expect(await codeOf(post('/jobs/retention/run', {}, ofTenant))).toEqual([403, 'INSUFFICIENT_SCOPE']);
  });

  it('run them: by licensing:write too; pause and schedule them by system:write alone', async () => {
    await roles.create(app.ctx, { name: 'operator', permissions: ['system:write'] });
    const [support, operator, viewer] = [
      await everywhere('support'),
      await everywhere('operator'),
      await everywhere('viewer'),
    ];
    expect(await codeOf(post('/jobs/purge-runs/run', {}, support))).toEqual([200, null]);
    expect(await codeOf(post('/jobs/purge-runs/run', {}, operator))).toEqual([200, null]);
    expect(await codeOf(post('/jobs/purge-runs/run', {}, viewer))).toEqual([403, 'INSUFFICIENT_SCOPE']);
    expect(await codeOf(post('/jobs/purge-runs/pause', {}, support))).toEqual([403, 'INSUFFICIENT_SCOPE']);
    expect(await codeOf(post('/jobs/purge-runs/pause', {}, operator))).toEqual([200, null]);
    expect(await codeOf(post('/jobs/purge-runs/resume', {}, operator))).toEqual([200, null]);
    const { body } = await app.admin('/jobs/purge-runs/runs', owner);
    expect(body.items).toMatchObject([{ startedBy: 'admin:operator' }, { startedBy: 'admin:support' }]);
  });
});

describe('a run', () => {
  it('is drawn with those before it, in the list and on the page of its job', async () => {
    const at = (i: number) => new Date(app.clock.epochMs() - (30 - i) * 60_000).toISOString();
    await seedRows(app.ctx, 'job_runs', 25, (i) => ({
      id: app.ctx.newId('run'),
      job: 'purge-sessions',
      started_at: at(i),
      ended_at: at(i),
      status: 'ok',
      ms: i,
    }));
    const drawn = Array.from({ length: 20 }, (_, at) => at + 5);
    expect(await jobOf('purge-sessions')).toMatchObject({ recentMs: drawn });
    const { browser } = await member(app);
    for (const path of ['/admin/system/jobs', '/admin/system/jobs/purge-sessions'])
      expect((await browser.open(path)).text).toContain('aria-label="20 values, 5 to 24, last 24"');
  });

  it('answers its counts; one that nobody waits for begins, and is in the history when it has ended', async () => {
    const { body } = await post('/jobs/license_expiry/run');
    expect(body).toMatchObject({
      name: 'license-expiry',
      started: true,
      run: { status: 'ok', result: { expired: 0, announced: 0 }, startedBy: 'admin:owner' },
    });
    expect((await post('/jobs/abuse/run', { wait: false })).body).toMatchObject({ started: true, run: null });
    const runs = async () => (await app.admin('/jobs/abuse/runs', owner)).body.items ?? [];
    expect(await eventually(async () => ((await runs()).length === 1 ? runs() : undefined))).toMatchObject([
      { name: 'abuse', status: 'ok', startedBy: 'admin:owner' },
    ]);
  });

  it('of a job that runs already is refused when nobody waits', async () => {
    const change = (to: object) =>
      app.instance.database.transaction(({ knex }) =>
        knex('scheduled_jobs').where({ name: 'heartbeat-cull' }).update(to),
      );
    await post('/jobs/heartbeat-cull/run');
    const locked_until = new Date(app.clock.epochMs() + 3000).toISOString();
    await change({ lock_owner: 'other:1', locked_until });
    expect(await codeOf(post('/jobs/heartbeat-cull/run', { wait: false }))).toEqual([409, 'CONFLICT']);
    expect(await jobOf('heartbeat-cull')).toMatchObject({ state: 'running', running: true });
    await change({ lock_owner: null, locked_until: null });
    expect(await codeOf(post('/jobs/heartbeat-cull/run', { wait: false }))).toEqual([200, null]);
  });
});

describe('what is refused', () => {
  it('names what there is, and what is wrong', async () => {
    const unknown = await post('/jobs/nothing/pause');
    expect([unknown.status, unknown.body.error?.details?.hint]).toEqual([
      404,
      expect.stringContaining('known jobs: '),
    ]);
    expect(await codeOf(app.admin('/jobs/nothing/runs', owner))).toEqual([404, 'NOT_FOUND']);
    expect(await codeOf(post('/jobs/stats-flush/pause'))).toEqual([409, 'CONFLICT']);
    for (const schedule of ['30 25 * * *', '* * *', '0 0 31 2 *', '', 5, '*/0 * * * *'])
      expect(await codeOf(post('/jobs/retention/schedule', { schedule }))).toEqual([400, 'VALIDATION_ERROR']);
    expect(await codeOf(post('/jobs/retention/schedule'))).toEqual([400, 'VALIDATION_ERROR']);
    expect(await codeOf(post('/jobs/lease-expiry/schedule', { schedule: '30 3 * * *' }))).toEqual([
      409,
      'CONFLICT',
    ]);
    expect(await jobOf('retention')).toMatchObject({ schedule: 'every 3600 s' });
  });

  it('Dry-Run changes no row of a job', async () => {
    const before = await jobOf('retention');
    const headers = { 'Dry-Run': 'true' };
    const pause = await app.admin('/jobs/retention/pause', owner, { method: 'POST', body: {}, headers });
    expect(pause.body.job).toMatchObject({ state: 'paused' });
    expect(await jobOf('retention')).toEqual(before);
  });
});

it('several at once are paused once: one change on record, however many ask', async () => {
  const answers = await Promise.all(Array.from({ length: 6 }, () => post('/jobs/abuse/pause')));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  const rows = await knex()('audit_log').where({ action: 'JOB_PAUSED', target_id: 'abuse' });
  expect(rows.map(({ before, after }) => [before, after])).toEqual([
    ['{"enabled":true}', '{"enabled":false}'],
  ]);
  const paused = (await app.admin('/jobs?state=paused&q=abuse', owner)).body.items;
  expect(paused).toMatchObject([{ name: 'abuse', pausedBy: 'admin:owner', nextRunAt: null }]);
  await post('/jobs/abuse/resume');
});

describe('tasks', () => {
  it('a bulk run of many rows is one: whoever began it reads what was refused, others only with system:read', {
    timeout: 60_000,
  }, async () => {
    await app.ctx.tx(async (ctx) => tenantSample.seed?.(ctx, 205));
    await roles.create(app.ctx, { name: 'landlord', permissions: ['licensing:danger', 'licensing:read'] });
    const [mine, other] = [await everywhere('landlord'), await everywhere('landlord')];
    const filter = { q: 'seeded' };
    const { status, body } = await post('/tenants/bulk', { action: 'suspend', filter }, mine);
    expect(status).toBe(202);
    const { id, total } = body.task as unknown as { id: string; total: number };
    expect(total).toBe(205);
    const read = async (token: MadeKey) => (await app.admin(`/tasks/${id}`, token)).body;
    const ended = await eventually(async () => {
      const { task } = (await read(mine)) as { task?: { status: string } };
      return task?.status === 'RUNNING' ? undefined : task;
    });
    expect(ended).toMatchObject({ status: 'DONE', done: 205, total: 205, kind: 'suspend tenants' });
    expect(ended).toMatchObject({ report: { summary: { total: 205 } } });
    expect((await read(other)).error?.code).toBe('NOT_FOUND');
    expect((await app.admin('/tasks', other)).body.items).toEqual([]);
    expect((await app.admin('/tasks/export?format=jsonl', other)).text).toBe('');
    expect((await read(await everywhere('viewer'))).task).toMatchObject({ id });
    // Its report names tenants: who sees one of them reads nothing of it.
    expect((await read(await app.adminToken('owner'))).error?.code).toBe('NOT_FOUND');
    expect(await codeOf(post(`/tasks/${id}/cancel`, {}, mine))).toEqual([409, 'CONFLICT']);
  });

  it('about every tenant are unknown to who sees one of them', async () => {
    await app.otherTenant();
    const begun = await post('/exports', { format: 'jsonl', allTenants: true });
    const { id } = begun.body.export as unknown as { id: string };
    const own = await post('/exports', { format: 'jsonl' });
    const { id: ofOne } = own.body.export as unknown as { id: string };
    const ofTenant = await app.adminToken('owner');
    expect(await codeOf(app.admin(`/tasks/${id}`, ofTenant))).toEqual([404, 'NOT_FOUND']);
    expect(await codeOf(post(`/tasks/${id}/cancel`, {}, ofTenant))).toEqual([404, 'NOT_FOUND']);
    const file = (await app.admin('/tasks/export?format=jsonl', ofTenant)).text;
    expect([file.includes(id), file.includes(ofOne)]).toEqual([false, true]);
    const ids = async (token: MadeKey) =>
      ((await app.admin('/tasks', token)).body.items as unknown as { id: string }[]).map((task) => task.id);
    expect(await ids(ofTenant)).not.toContain(id);
    expect(await ids(ofTenant)).toContain(ofOne);
    expect(await ids(owner)).toEqual(expect.arrayContaining([id, ofOne]));
  });

  it('are cancelled by whoever began them, and by who may change the system', async () => {
    const mine = await everywhere('licensing');
    const rows = ['1', '2', '3'].map((n) => `tsk_0000000000000000000000000${n}`);
    await seedRows(app.ctx, 'tasks', 3, (i) => ({
      id: rows[i],
      tenant_id: app.ctx.tenantId,
      kind: 'import licenses',
      status: 'RUNNING',
      started_by: 'somebody',
      actor_id: i === 0 ? mine.id : null,
      params: '{}',
      done: 0,
      locked_until: new Date(app.clock.epochMs() + 20_000).toISOString(),
      created_at: app.ctx.now(),
    }));
    const cancel = (at: number, token: MadeKey) => codeOf(post(`/tasks/${rows[at]}/cancel`, {}, token));
    expect(await cancel(0, mine)).toEqual([200, null]);
    expect(await cancel(1, mine)).toEqual([404, 'NOT_FOUND']);
    expect(await cancel(1, await everywhere('viewer'))).toEqual([403, 'INSUFFICIENT_SCOPE']);
    expect(await cancel(1, owner)).toEqual([200, null]);
    const asked = await knex()('audit_log').where({ action: 'TASK_CANCELLED' }).orderBy('seq');
    expect(asked.map(({ target_type, target_id }) => [target_type, target_id])).toEqual([
      ['tasks', rows[0]],
      ['tasks', rows[1]],
    ]);
  });
});
