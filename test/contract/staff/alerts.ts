// What operators were told of.
import type { Ctx } from '#kernel/context.ts';
import { alertRecord, ids } from '#platform/alerts/record.ts';
import { alertResource } from '#platform/alerts/resource.ts';
import { type ResourceSample, seedRows } from '../../support/resource-sample.ts';

const OLD = '2020-01-01T00:00:00.000Z';

const alertRow = (ctx: Ctx, i: number) => {
  const id = ctx.newId(ids.alert);
  return {
    id,
    row: alertRecord.write({
      id,
      key: `jobs.last-run:${id}`,
      server: i % 3 === 0 ? 'web-2:/var/lib/appctl' : i % 3 === 1 ? 'web-1:/var/lib/appctl' : null,
      // The first characters are what a spreadsheet would run.
      title: i % 4 === 0 ? '=last job runs' : 'free disk space',
      message: i % 5 === 0 ? 'no answer' : '12 MiB free',
      hint: i % 2 === 0 ? null : 'free up space',
      createdAt: i % 2 === 0 ? OLD : ctx.now(),
      absentSince: null,
      endedAt: i % 2 === 0 ? ctx.now() : null,
    }),
  };
};

export const alertSample: ResourceSample = {
  resource: alertResource,
  rows: {
    'GET /alerts': 'system:read',
    'GET /alerts/export': 'system:read',
    'GET /alerts/{id}': 'system:read',
  },
  async make(ctx) {
    const { id, row } = alertRow(ctx, 1);
    await ctx.tx(({ db }) => db.knex(alertRecord.table).insert(row));
    return { id };
  },
  bodies: {},
  seed: (ctx, n) => seedRows(ctx, alertRecord.table, n, (i) => alertRow(ctx, i).row),
  everyTenant: true,
  filters: {
    state: 'open',
    server: 'WEB-2',
    begunFrom: '2021-01-01T00:00:00Z',
    begunTo: '2021-01-01T00:00:00Z',
    q: 'no answer',
  },
};
