// Jobs of the installation with their history, and tasks of a tenant.
import type { Ctx } from '#kernel/context.ts';
import { jobRunRecord } from '#kernel/jobs/runs/record.ts';
import { schedulerOf } from '#kernel/jobs/scheduler-in-force.ts';
import { jobResource, jobRunResource, taskResource } from '#platform/jobs/resource.ts';
import { type ResourceSample, seedRows } from '../../support/resource-sample.ts';

const OLD = '2020-01-01T00:00:00.000Z';
/** It takes a schedule, and does nothing on an installation that is new. */
const JOB = 'purge-runs';

export const jobSample: ResourceSample = {
  resource: jobResource,
  rows: {
    'GET /jobs': 'system:read',
    'GET /jobs/export': 'system:read',
    'GET /jobs/{name}': 'system:read',
    'POST /jobs/bulk': 'system:write',
    'POST /jobs/{name}/run': 'system:write',
    'POST /jobs/{name}/pause': 'system:write',
    'POST /jobs/{name}/resume': 'system:write',
    'POST /jobs/{name}/schedule': 'system:write',
  },
  async make(ctx, operation) {
    const jobs = schedulerOf(ctx);
    await (operation.endsWith('/resume') ? jobs.pause(ctx, JOB) : jobs.resume(ctx, JOB));
    return { name: JOB };
  },
  bodies: {
    'POST /jobs/bulk': ({ name }) => ({ action: 'pause', ids: [name] }),
    'POST /jobs/{name}/run': () => ({ wait: true }),
    'POST /jobs/{name}/pause': () => ({ note: 'looks into it' }),
    'POST /jobs/{name}/resume': () => ({}),
    'POST /jobs/{name}/schedule': () => ({ schedule: '30 3 * * *' }),
  },
  seed: null,
  everyTenant: true,
  idField: 'name',
  filters: {},
};

export const jobRunSample: ResourceSample = {
  resource: jobRunResource,
  rows: { 'GET /jobs/{name}/runs': 'system:read', 'GET /jobs/{name}/runs/export': 'system:read' },
  make: async () => ({ name: JOB }),
  bodies: {},
  async seed(ctx, n) {
    await seedRows(ctx, jobRunRecord.table, n, (i) => {
      const isOk = i % 3 > 0;
      const at = i % 2 === 0 ? OLD : ctx.now();
      return jobRunRecord.write({
        id: ctx.newId('run'),
        job: JOB,
        startedAt: at,
        endedAt: at,
        status: isOk ? 'ok' : 'failed',
        ms: i,
        result: isOk ? { jobRuns: i } : null,
        // The first characters are what a spreadsheet would run.
        error: isOk ? null : '=no luck',
        startedBy: i % 4 === 0 ? '=cli:ann' : null,
      });
    });
    return { name: JOB };
  },
  everyTenant: true,
  filters: { status: 'failed', from: '2021-01-01T00:00:00Z', to: '2021-01-01T00:00:00Z' },
};

const taskRow = (ctx: Ctx, i: number, more: object = {}) => ({
  id: ctx.newId('tsk'),
  tenant_id: ctx.tenantId,
  kind: i % 3 === 0 ? '=import licenses' : 'suspend licenses',
  status: i % 4 === 0 ? 'FAILED' : 'DONE',
  started_by: 'ann',
  params: '{"rows":3}',
  done: i,
  total: i % 5 === 0 ? null : i,
  report: i % 4 === 0 ? null : '{"summary":{"total":3}}',
  error: i % 4 === 0 ? 'no luck' : null,
  locked_until: ctx.now(),
  created_at: i % 2 === 0 ? OLD : ctx.now(),
  finished_at: i % 2 === 0 ? OLD : ctx.now(),
  ...more,
});

export const taskSample: ResourceSample = {
  resource: taskResource,
  rows: {
    'GET /tasks': 'staff',
    'GET /tasks/export': 'staff',
    'GET /tasks/{id}': 'staff',
    'POST /tasks/{id}/cancel': 'staff',
  },
  async make(ctx) {
    const alive = new Date(Date.parse(ctx.now()) + 20_000).toISOString();
    const running = { status: 'RUNNING', finished_at: null, locked_until: alive };
    const row = taskRow(ctx, 1, running);
    await ctx.tx(({ db }) => db.knex('tasks').insert(row));
    return { id: row.id };
  },
  bodies: { 'POST /tasks/{id}/cancel': () => ({ note: 'too slow' }) },
  seed: (ctx, n) => seedRows(ctx, 'tasks', n, (i) => taskRow(ctx, i)),
  filters: {
    status: 'FAILED',
    kind: '=IMPORT',
    startedFrom: '2021-01-01T00:00:00Z',
    startedTo: '2021-01-01T00:00:00Z',
  },
};
