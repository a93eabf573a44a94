// An index that SQLite is told nothing of looks better than those it is told of: none may be left out (decision 0058).
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Asked } from '#kernel/db/selection/spec.ts';
import { licenseKeyRows } from '#licensing/insight/api-keys/resource.ts';
import { licenseRows } from '#licensing/licenses/licenses/search/queries.ts';
import { taskRows } from '#platform/jobs/index.ts';
import { auditRows } from '../../src/platform/audit/queries.ts';
import { deliveryRows, webhookRows } from '../../src/platform/webhooks/registry/queries.ts';
import { startApp, type TestApp } from '../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const read = async <R>(sql: string, values: readonly unknown[] = []): Promise<R[]> =>
  (await app.ctx.db.knex.raw(sql, values as string[])) as R[];

test('each index of the tables that it is told of is told, with a figure for each column', async () => {
  const told = await read<{ tbl: string; idx: string; stat: string }>(
    'SELECT tbl, idx, stat FROM sqlite_stat1',
  );
  const tables = [...new Set(told.map(({ tbl }) => tbl))];
  expect(tables.sort()).toEqual([
    'audit_log',
    'license_activations',
    'license_customers',
    'license_keys',
    'licenses',
  ]);
  const figures = Object.fromEntries(
    told.map(({ idx, stat }) => [idx, stat.split(' ').filter((word) => /^\d+$/.test(word)).length]),
  );
  const there: Record<string, number> = {};
  for (const table of tables)
    for (const { name } of await read<{ name: string }>('SELECT name FROM pragma_index_list(?)', [table]))
      there[name] = 1 + (await read('SELECT 1 FROM pragma_index_info(?)', [name])).length;
  expect(figures).toEqual(there);
  expect(await read('SELECT tbl FROM sqlite_stat4')).toEqual([]);
});

/** How SQLite goes about what a list asks of it. */
async function stepsOf(list: () => Promise<unknown>): Promise<string[]> {
  const asked: { sql: string; bindings: unknown[] }[] = [];
  const note = (query: { sql: string; bindings: unknown[] }) => void asked.push(query);
  const { knex } = app.ctx.db;
  knex.on('query', note);
  await list();
  knex.removeListener('query', note);
  const plans = await Promise.all(
    asked.map(({ sql, bindings }) => read<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, bindings)),
  );
  return plans.flat().map(({ detail }) => detail);
}

const licenses = (filters: Asked['filters'], sort?: string) =>
  licenseRows.page(app.ctx, { filters, sort, offset: 0, limit: 50 });
const audit = (filters: Asked['filters']) => auditRows.after(app.ctx, { filters, cursor: null, limit: 50 });

test.each<[string, () => Promise<unknown>, string]>([
  ['licenses of an address', () => licenses({ email: 'ann@x.test' }), 'licenses_customer_id_index'],
  ['the newest licenses', () => licenses({ deleted: false }), 'licenses_counted'],
  [
    'licenses of a product and a tier since a day',
    () => licenses({ tier: ['PERSONAL'], createdFrom: '2026-06-01T00:00:00.000Z' }),
    'licenses_',
  ],
  [
    'the next ends of active licenses',
    () => licenses({ status: ['ACTIVE'], type: ['SUBSCRIPTION'], expiring: 30 * 86_400 }, 'validUntil'),
    'COVERING INDEX licenses_expiring',
  ],
  [
    'licenses above their limit',
    () => licenses({ status: ['ACTIVE'], overUsed: true }),
    'events_seats_lowered',
  ],
  [
    'licenses that were never activated',
    () => licenses({ type: ['SUBSCRIPTION'], tier: ['PERSONAL'], neverActivated: true }),
    'COVERING INDEX licenses_counted',
  ],
  ['entries of a stretch of time', () => audit({ to: '2026-06-01T00:00:00.000Z' }), 'audit_log_at_index'],
  ['entries of a request', () => audit({ requestId: 'req_1' }), 'audit_log_request'],
  ['entries about a kind', () => audit({ targetType: 'roles' }), 'audit_log_target_type'],
  ['entries of an action', () => audit({ action: 'ROLE_MADE' }), 'audit_log_action_seq_index'],
])('%s are read along an index', async (_name, list, index) => {
  const steps = await stepsOf(list);
  expect(steps.filter((step) => step.includes(index))).not.toEqual([]);
  expect(steps.filter((step) => /^SCAN (l|audit_log)\b/.test(step))).toEqual([]);
});

test.each([
  ['API keys', licenseKeyRows, 'api_keys'],
  ['webhooks', webhookRows('license'), 'webhooks'],
  ['deliveries', deliveryRows('license'), 'webhook_deliveries'],
  ['tasks', taskRows, 'tasks'],
])(
  '%s of an export are read by their ids, a page at a time, and not all of the tenant for each',
  async (_name, rows, table) => {
    const ids = Array.from({ length: 100 }, (_, at) => `id_${at}`);
    const actor = { ...app.ctx.actor, scopes: { tenant: [app.ctx.tenantId] } };
    for (const ctx of [app.ctx, app.ctx.with({ actor })]) {
      const [step = ''] = (await stepsOf(() => rows.of(ctx, ids))).filter((one) =>
        one.includes(` ${table} `),
      );
      expect(step).toMatch(
        new RegExp(`^SEARCH ${table} USING INDEX sqlite_autoindex_${table}_1 \\(id=\\?\\)`),
      );
    }
  },
);
