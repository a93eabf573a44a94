// Counters that are written behind: what is counted, how processes add up, and what is never lost or in the way
// (licensing 4.5 stats-flush, 6.10, 8.6, C13, D128). What is new is written at once, the rest when its day is over
// (decision 0034).
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Ctx } from '#kernel/context.ts';
import { clientNetwork } from '#kernel/http/client-address.ts';
import { ProcessMemory } from '#kernel/process-memory.ts';
import { daybookOf, MOST_ENTRIES, MOST_PER_LICENSE } from '#licensing/insight/statistics/daybook.ts';
import { flushDue, flushStatistics, observe } from '#licensing/insight/statistics/index.ts';
import { sizeOfSightings } from '#licensing/insight/statistics/sightings.ts';
import { type MadeLicense, startApp, type TestApp } from '../support/app.ts';
import { nothing } from '../support/database-changes.ts';
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
const countOf = async (kind: string) => (await observations(kind)).map((row) => Number(row.count));

describe('a day of a license', () => {
  it('counts validations, denials and heartbeats, and when it was last found valid', async () => {
    await call('activate');
    await call('validate');
    const validAt = app.ctx.now();
    app.clock.advance(5);
    await call('validate', { machineId: 'machine-0002' });
    await call('heartbeat');
    await call('heartbeat', { machineId: 'machine-0002' });
    expect(await rows('license_stats', 'day')).toEqual([]);
    await flushStatistics(app.ctx);
    const [day] = await rows('license_stats', 'day');
    expect(day).toEqual({
      license_id: license.id,
      day: validAt.slice(0, 10),
      validations: 2,
      denials: 2,
      heartbeats: 1,
      last_validated_at: validAt,
    });
  });

  it('counts refusals by code with their distinct machines, over hours and flushes (6.10)', async () => {
    await call('activate');
    const firstAt = app.ctx.now();
    for (const machine of ['machine-0002', 'machine-0003', 'machine-0002'])
      await call('activate', { machineId: machine });
    await call('validate', { machineId: 'machine-0002' });
    await flushStatistics(app.ctx);
    app.clock.advance(3600);
    await call('activate', { machineId: 'machine-0003' });
    await call('activate', { machineId: 'machine-0004' });
    await flushStatistics(app.ctx);
    const denials = await rows('license_denials', 'code');
    expect(denials.map(({ code, count, machines }) => [code, count, machines])).toEqual([
      ['NOT_ACTIVATED', 1, 1],
      ['SEATS_EXHAUSTED', 5, 3],
    ]);
    expect(denials[1]).toMatchObject({
      day: firstAt.slice(0, 10),
      first_at: firstAt,
      last_at: app.ctx.now(),
    });
  });

  it('a vendor’s renew, a check without a machine, and a command count nothing', async () => {
    await app.get(`${api}/check/${license.key}`, key);
    await app.post(`${api}/renew`, { licenseKey: license.key, validUntil: '2030-01-01T00:00:00Z' }, key);
    observe(app.ctx, {
      licenseId: license.id,
      action: 'validate',
      allowed: true,
      code: 'VALID',
      repeat: false,
      machineId,
      now: app.ctx.now(),
    });
    await flushStatistics(app.ctx);
    expect([...(await rows('license_stats', 'day')), ...(await rows('license_observations', 'day'))]).toEqual(
      [],
    );
  });

  it('an unknown key counts nothing and breaks nothing', async () => {
    const { changes } = await app.changesBy(() =>
      call('validate', { licenseKey: 'APP-0000-0000-0000-0000' }),
    );
    expect(changes).toEqual(nothing);
    expect(await flushStatistics(app.ctx)).toEqual({ licenses: 0, dropped: 0 });
  });
});

describe('observations (D128)', () => {
  it('IP_NET: /24 and /64 of valid answers only, one row a day, as keyed digests', async () => {
    await call('activate', {}, '198.51.100.7');
    for (const ip of [
      '198.51.100.200',
      '198.51.101.7',
      '2001:db8:1:2::1',
      '2001:db8:1:2:ffff::1',
      '2001:db8:1:3::1',
    ])
      await call('validate', {}, ip);
    await call('validate', { machineId: 'machine-0002' }, '203.0.113.9');
    await flushStatistics(app.ctx);
    await call('validate', {}, '198.51.101.8');
    await flushStatistics(app.ctx);
    expect((await countOf('IP_NET')).sort()).toEqual([1, 2, 2, 2]);
    const values = (await observations('IP_NET')).map((row) => row.value as string);
    expect(values).toContain(app.ctx.keyring.digest('lookup', 'network:198.51.100.0/24').slice(0, 22));
    expect(JSON.stringify(await rows('license_observations', 'day'))).not.toMatch(
      /198\.51|2001:db8|machine-/,
    );
  });

  it('MACHINE_TRIED: every machine that asked, whatever the answer; not one that gives up', async () => {
    await call('activate');
    await call('validate', { machineId: 'machine-0002' });
    await call('heartbeat', { machineId: 'machine-0003' });
    await call('deactivate', { machineId: 'machine-0004' });
    await flushStatistics(app.ctx);
    expect(await countOf('MACHINE_TRIED')).toEqual([1, 1, 1]);
  });

  it('LIMIT: refused for want of a seat, by minute; nothing else that is refused', async () => {
    await call('activate');
    await call('activate', { machineId: 'machine-0002' });
    await call('activate', { machineId: 'machine-0002' });
    app.clock.advance(60);
    await call('activate', { machineId: 'machine-0002' });
    await call('validate', { machineId: 'machine-0002' });
    await flushStatistics(app.ctx);
    expect((await countOf('LIMIT')).sort()).toEqual([1, 2]);
  });

  it('CHURN: pairs of a deactivation and a later activation, also over flushes and processes', async () => {
    const pairs = async () => {
      await flushStatistics(app.ctx);
      const found = (await observations('CHURN')).filter((row) => row.value.startsWith('PAIR.'));
      return found.reduce((sum, row) => sum + Number(row.count), 0);
    };
    await call('activate');
    await call('activate');
    expect(await pairs()).toBe(0);
    await call('deactivate');
    expect(await pairs()).toBe(0);
    await call('activate', { machineId: 'machine-0002' });
    expect(await pairs()).toBe(1);
    await call('deactivate', { machineId: 'machine-0002' });
    await call('activate');
    await call('deactivate');
    app.clock.advance(7200);
    expect(await pairs()).toBe(2);
    await call('activate');
    await call('deactivate');
    await call('deactivate');
    expect(await pairs()).toBe(3);
  });

  it('BEAT_IP: a machine that comes back to the address before; not one that moves on or has both families', async () => {
    await call('activate');
    const beat = (ip: string) => call('heartbeat', {}, ip);
    for (const ip of ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4']) await beat(ip);
    for (const ip of ['2001:db8::1', '192.0.2.4', '2001:db8::2', '192.0.2.4']) await beat(ip);
    await flushStatistics(app.ctx);
    expect(await countOf('BEAT_IP')).toEqual([]);
    await beat('192.0.2.3');
    await beat('192.0.2.4');
    await flushStatistics(app.ctx);
    await beat('192.0.2.3');
    await flushStatistics(app.ctx);
    expect(await countOf('BEAT_IP')).toEqual([3]);
  });
});

describe('processes', () => {
  it('add up, whoever writes first', async () => {
    const others = processesOf(app, 2);
    const at = (ms: number) => new Date(app.clock.epochMs() + ms).toISOString();
    const seen = { licenseId: license.id, action: 'validate', repeat: true, machineId };
    others.forEach((ctx, place) => {
      const request = ctx.with({ origin: { ...ctx.origin, ip: '192.0.2.9' } });
      for (let n = 0; n < 3; n++)
        observe(request, { ...seen, allowed: true, code: 'VALID', now: at(1000 - 500 * place) });
      observe(request, {
        ...seen,
        machineId: 'machine-0002',
        allowed: false,
        code: 'NOT_ACTIVATED',
        now: at(0),
      });
    });
    await Promise.all(others.map((ctx) => flushStatistics(ctx)));
    const [day] = await rows('license_stats', 'day');
    expect(day).toMatchObject({ validations: 8, denials: 2, last_validated_at: at(1000) });
    expect(await observations('IP_NET')).toMatchObject([{ count: 6, first_at: at(500), last_at: at(1000) }]);
    expect(await rows('license_denials', 'code')).toMatchObject([{ count: 2, machines: 1 }]);
  });

  it('a license that was purged meanwhile is left out, and the others are written', async () => {
    const gone = await app.license();
    for (const one of [gone, license]) await call('validate', { licenseKey: one.key });
    await app.instance.database.transaction(({ knex }) => knex('licenses').where({ id: gone.id }).delete());
    await flushStatistics(app.ctx);
    expect(await rows('license_stats', 'day')).toMatchObject([{ validations: 1 }]);
    const left = await app.instance.database.db.knex('license_stats').where({ license_id: gone.id });
    expect(left).toEqual([]);
  });

  it('what cannot be written waits for the next flush', async () => {
    await call('validate');
    const broken = {
      ...app.ctx,
      memory: app.ctx.memory,
      log: app.ctx.log,
      keyring: app.ctx.keyring,
      now: () => app.ctx.now(),
      tx: () => Promise.reject(new Error('away')),
    };
    await expect(flushStatistics(broken as unknown as typeof app.ctx)).rejects.toThrow('away');
    await call('validate');
    await flushStatistics(app.ctx);
    expect(await rows('license_stats', 'day')).toMatchObject([{ validations: 2 }]);
  });
});

describe('bounds', () => {
  it('what waits is bounded per license and in all; the rest is dropped and counted', () => {
    const memory = new ProcessMemory();
    const ctx = {
      ...app.ctx,
      memory,
      origin: { ...app.ctx.origin, ip: '192.0.2.1' },
    } as unknown as typeof app.ctx;
    const now = app.ctx.now();
    const see = (licenseId: string, machine: string) =>
      observe(ctx, {
        licenseId,
        action: 'validate',
        allowed: false,
        code: 'EXPIRED',
        repeat: false,
        machineId: machine,
        now,
      });
    for (let n = 0; n < MOST_PER_LICENSE + 5; n++) see('lic_one', `machine-${n}`);
    const book = memory.of(daybookOf);
    expect(sizeOfSightings(book.current.get('lic_one')?.machines ?? null)).toBe(MOST_PER_LICENSE);
    expect(book.dropped).toBe(10);
    // The license, its machines, its code, and the machines that got it.
    expect(book.entries).toBe(2 * MOST_PER_LICENSE + 2);
    for (let n = 0; n < MOST_ENTRIES / 4; n++) see(`lic_${n}`, machineId);
    expect(book.entries).toBe(MOST_ENTRIES);
    expect(book.dropped).toBeGreaterThan(10);
  });

  it.each([
    ['198.51.100.7', '198.51.100.0/24'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ])('the network of %s is %s', (ip, network) => {
    expect(clientNetwork(ip)).toBe(network);
  });
});

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
