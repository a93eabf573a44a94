// What a server writes of its counters beside its requests: what is new at once, the rest when its day is over
// (decision 0034; licensing 4.5 stats-flush, C13, D128).
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Ctx } from '#kernel/context.ts';
import { daybookOf, MOST_ENTRIES } from '#licensing/insight/statistics/daybook.ts';
import { flushDue, flushStatistics, observe } from '#licensing/insight/statistics/index.ts';
import { type MadeLicense, startApp, type TestApp } from '../support/app.ts';
import { processesOf } from '../support/processes.ts';

const machineId = 'machine-0001';
const api = '/api/v1/license';

let app: TestApp;
let key: string;
beforeAll(async () => {
  app = await startApp({ proxyTrust: '127.0.0.0/8' });
  key = (await app.apiKey('FULL_ADMIN')).secret;
});
afterAll(() => app.close());

let license: MadeLicense;
beforeEach(async () => {
  await flushStatistics(app.ctx);
  license = await app.license({ maxActivations: 1 });
});

const call = (action: string, body: object = {}, ip = '198.51.100.7') =>
  app.post(`${api}/${action}`, { licenseKey: license.key, machineId, ...body }, key, {
    'X-Forwarded-For': ip,
  });
const rows = (table: string, order: string) =>
  app.instance.database.db.knex(table).where({ license_id: license.id }).orderBy(order);
const observations = async (kind: string) =>
  (await rows('license_observations', 'value')).filter((row) => row.kind === kind);
const HOUR = 3600;
/** Rows of a license by table and kind. */
const written = async () => {
  const days = (await rows('license_stats', 'day')).map((row) => ['STATS', row]);
  const seen = (await rows('license_observations', 'kind')).map((row) => [row.kind, row]);
  return [...days, ...seen] as [string, object][];
};
/** Kinds of the rows that a flush makes or changes. */
const changesOf = async () => {
  const before = (await written()).map((row) => JSON.stringify(row));
  await flushDue(app.ctx);
  return (await written()).filter((row) => !before.includes(JSON.stringify(row))).map(([kind]) => kind);
};
const untilNextDay = () => {
  const midnight = `${app.ctx.now().slice(0, 10)}T24:00:00.000Z`;
  app.clock.advance((Date.parse(midnight) - app.clock.epochMs()) / 1000);
};
const days = async () =>
  (await rows('license_stats', 'day')).map((row) => [Number(row.validations), row.last_validated_at]);

/** Another process that answers a client. */
function processWith(ip: string): Ctx {
  const [process] = processesOf(app, 1) as [Ctx];
  return process.with({ origin: { ...app.ctx.origin, ip } });
}
const addHours = (at: string, hours: number) => new Date(Date.parse(at) + hours * 3_600_000).toISOString();

it('the first sight of a day, then nothing while nothing is new, then what was counted when the day is over', async () => {
  untilNextDay();
  await call('activate');
  await flushDue(app.ctx);
  app.clock.advance(HOUR);
  const firstAt = app.ctx.now();
  await call('validate');
  for (let n = 0; n < 20; n++) {
    expect(await changesOf()).toEqual([]);
    app.clock.advance(HOUR);
    await call('validate');
  }
  const lastAt = app.ctx.now();
  untilNextDay();
  await flushDue(app.ctx);
  expect(await days()).toEqual([[21, lastAt]]);
  expect(await observations('IP_NET')).toMatchObject([{ count: 22, last_at: lastAt }]);
  expect(await observations('MACHINE_TRIED')).toMatchObject([
    { count: 22, first_at: addHours(firstAt, -1), last_at: lastAt },
  ]);
  expect(await changesOf()).toEqual([]);
  // The next day is another row.
  await call('validate');
  expect(await changesOf()).toEqual(['IP_NET', 'MACHINE_TRIED']);
});

it('the counters of a day in one row that is written once, and for 31 days', async () => {
  const written: number[] = [];
  for (let day = 0; day < 40; day++) {
    await call('validate');
    await call('validate');
    await flushDue(app.ctx);
    untilNextDay();
    await flushDue(app.ctx);
    written.push((await days()).length);
  }
  expect(written).toEqual(Array.from({ length: 40 }, (_, day) => Math.min(day + 1, 32)));
  expect((await days()).every(([validations]) => validations === 2)).toBe(true);
});

it('a second machine or network at once, even where a thousand licenses wait for their turn', async () => {
  await call('activate');
  expect(await changesOf()).toEqual(['IP_NET', 'MACHINE_TRIED']);
  const request = app.ctx.with({ origin: { ...app.ctx.origin, ip: '198.51.100.7' } });
  const now = app.ctx.now();
  for (let n = 0; n < 1000; n++) {
    const one = { licenseId: `lic_${n}`, action: 'validate', allowed: true, code: 'VALID', repeat: true };
    observe(request, { ...one, machineId, now });
  }
  await call('validate', {}, '203.0.113.9');
  expect(await changesOf()).toEqual(['IP_NET']);
  await call('validate', {}, '203.0.113.9');
  await call('validate', { machineId: 'machine-0002' });
  expect(await changesOf()).toEqual(['MACHINE_DENIED', 'MACHINE_TRIED']);
});

it('refusals for want of a seat while they happen, others once and at the end of their day', async () => {
  await call('activate');
  const refused = () => call('activate', { machineId: 'machine-0002' });
  for (let n = 0; n < 3; n++) {
    await refused();
    await call('validate', { machineId: 'machine-0002' });
    await flushDue(app.ctx);
  }
  const counts = async () =>
    (await rows('license_denials', 'code')).map(({ code, count }) => [code, Number(count)]);
  expect(await counts()).toEqual([
    ['NOT_ACTIVATED', 1],
    ['SEATS_EXHAUSTED', 3],
  ]);
  untilNextDay();
  await flushDue(app.ctx);
  expect(await counts()).toEqual([
    ['NOT_ACTIVATED', 3],
    ['SEATS_EXHAUSTED', 3],
  ]);
});

it('a bounded number of licenses, and in the end all of them', async () => {
  const ctx = processWith('192.0.2.1');
  const ids = Array.from({ length: 3000 }, (_, n) => `lic_${String(n).padStart(26, '0')}`);
  for (const licenseId of ids) {
    const one = { licenseId, action: 'validate', allowed: true, code: 'VALID', repeat: true };
    observe(ctx, { ...one, machineId, now: app.ctx.now() });
  }
  const written: number[] = [];
  for (let n = 0; n < 60; n++) written.push((await flushDue(ctx)).licenses);
  expect(Math.max(...written)).toBeLessThan(100);
  expect(written.reduce((sum, count) => sum + count, 0)).toBe(ids.length);
});
it('where memory runs short, licenses are written and forgotten before their day ends', async () => {
  const ctx = processWith('192.0.2.1');
  const book = ctx.memory.of(daybookOf);
  const one = { action: 'validate', allowed: true, code: 'VALID', repeat: true, machineId };
  observe(ctx, { ...one, licenseId: license.id, now: app.ctx.now() });
  await flushDue(ctx);
  observe(ctx, { ...one, licenseId: license.id, now: app.ctx.now() });
  book.entries = MOST_ENTRIES;
  await flushDue(ctx);
  expect(book.current.size).toBe(0);
  expect(book.entries).toBe(MOST_ENTRIES - 3);
  expect(await rows('license_stats', 'day')).toMatchObject([{ validations: 2 }]);
});
