// Bulk runs of more rows than one answer waits for (admin.md A3): a task with progress, an error for each row that was
// refused, one entry of the audit log for each row that was changed, and rows that stay done when somebody cancels it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cancelTask } from '#kernel/jobs/task.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { LOOPBACK_PINS } from '../../support/webhooks.ts';
import { auditRows, type BulkReport, endOf } from './bulk-outcome.ts';
import { listed, type Place, placesOf, walkOf } from './resource-walk.ts';

/** Beyond 200 rows a run is a task. */
const SOME = 220;
/** More than a report names, and enough that one which is cancelled has rows left. */
const MANY = 1500;

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ pins: LOOPBACK_PINS });
});
afterAll(() => app.close());

/** Whoever may not see a webhook has no collection of deliveries either: the walk over strangers knows no run of them. */
const more: Readonly<Record<string, { action: string }>> = { deliveries: { action: 'redeliver' } };
const inBulk = listed.flatMap(([name, sample]) => {
  const bulk = sample.bulk ?? more[name];
  return bulk ? [[name, sample, bulk] as const] : [];
});

const auditedSince = async ({ ctx }: Place, before: number) => (await auditRows(ctx)).slice(before);

describe.each(inBulk)('a bulk run over many %s', (name, sample, bulk) => {
  const n = name === 'licenses' ? MANY : SOME;

  const steady = (item: object): string =>
    JSON.stringify(Object.entries(item).filter(([field]) => !sample.changing?.includes(field)));

  it(`of ${n} rows tells of each that was refused, and each that it changed is on record once`, async () => {
    const walk = walkOf(app, sample);
    const { place } = await placesOf(app, walk)(n);
    const { items } = await walk.everyItem(place);
    const before = (await auditRows(place.ctx)).length;
    // More rows than their ids may name are named by a filter.
    const ids = n > 1000 ? null : [...items.map(({ id }) => id), 'nobody', 'no one'];
    const body = { ...bulk, ...(ids ? { ids } : { filter: {} }) };
    const started = await walk.ask(place, '/bulk', {}, { body });
    const total = ids?.length ?? items.length;
    expect([started.status, started.body.task?.total]).toEqual([202, total]);
    const seen: number[] = [];
    const task = await endOf(place.ctx, String(started.body.task?.id), async ({ done }) => seen.push(done));
    expect([task.status, task.done, task.total, task.error]).toEqual(['DONE', total, total, null]);
    expect(seen).toEqual(seen.toSorted((one, other) => one - other));
    const { results, summary } = task.report as unknown as BulkReport;
    expect(summary.total).toBe(total);
    expect(summary.succeeded + summary.failed).toBe(total);
    // A report names the first thousand refusals, and counts the rest.
    expect(results.map(({ success }) => success)).toEqual(Array(Math.min(summary.failed, 1000)).fill(false));
    for (const { error } of results)
      expect(error).toEqual({ code: expect.any(String), message: expect.any(String) });
    if (ids)
      expect(results.slice(-2).map(({ id, error }) => [id, error?.code])).toEqual([
        ['nobody', 'NOT_FOUND'],
        ['no one', 'NOT_FOUND'],
      ]);
    expect(summary.succeeded).toBeGreaterThan(0);
    // What was so before is no change: a webhook that was off stays so.
    const same = new Set((await walk.everyItem(place)).items.map(steady));
    const changed = items.filter((item) => !same.has(steady(item)));
    expect(changed.length).toBeGreaterThan(0);
    expect([name, (await auditedSince(place, before)).length]).toEqual([name, changed.length]);
  }, 300_000);
});

it('one that is cancelled leaves done what is done, and the rest as it was', async () => {
  const [, sample, bulk] = inBulk.find(([name]) => name === 'licenses') as (typeof inBulk)[number];
  const walk = walkOf(app, sample);
  const { place } = await placesOf(app, walk)(MANY);
  const before = (await auditRows(place.ctx)).length;
  const started = await walk.ask(place, '/bulk', {}, { body: { ...bulk, filter: {} } });
  let isAsked = false;
  const task = await endOf(place.ctx, String(started.body.task?.id), async ({ id, done }) => {
    if (isAsked || done === 0) return;
    isAsked = true;
    await cancelTask(place.ctx, id);
  });
  expect([task.status, task.error?.includes('was canceled')]).toEqual(['CANCELLED', true]);
  expect([task.done > 0, task.done < MANY]).toEqual([true, true]);
  const audited = await auditedSince(place, before);
  const changed = new Set(
    audited.map(({ action, target_id }) => (action === 'TASK_CANCELLED' ? '' : target_id)),
  );
  changed.delete('');
  const { items } = await walk.everyItem(place);
  const suspended = items.filter(({ suspendedReason }) => suspendedReason === 'ADMIN').map(({ id }) => id);
  expect(new Set(suspended)).toEqual(changed);
  expect(suspended.length).toBeLessThanOrEqual(task.done);
}, 300_000);
