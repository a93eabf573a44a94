// What staff do to a usage counter: show, list, reset, set (licensing 4.2, 8.8 rule 2, D79).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as usage from '#licensing/licenses/usage/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { nothing } from '../support/database-changes.ts';
import { codeOf, faultsOf } from '../support/refusal.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const record = (licenseKey: string, feature: string, quantity = 1, metadata?: { [key: string]: string }) =>
  usage.recordUsage(app.ctx, { licenseKey, feature, quantity, metadata });
const first = { page: 1, limit: 50 };

/** The sum that doctor makes for one license. */
async function isSound(id: string): Promise<boolean> {
  const { knex } = app.instance.database.db;
  const license = await knex('licenses').where({ id }).first();
  const records = await knex('license_usage').where({ license_id: id, epoch: license.usage_epoch });
  const sum = records.reduce((total, { quantity }) => total + Number(quantity), Number(license.usage_base));
  return sum === Number(license.current_uses);
}

describe('show', () => {
  it('adds up by feature; __proto__ is one like any other', async () => {
    const { id, key } = await app.license({ maxUses: 8 });
    await record(key, 'export', 2);
    await record(key, 'import');
    await record(key, 'export', 2);
    await record(key, '__proto__');
    const { result, changes } = await app.changesBy(() => usage.show(app.ctx, id));
    expect(changes).toEqual(nothing);
    expect(result).toEqual({
      current: 6,
      max: 8,
      remaining: 2,
      percentUsed: 75,
      byFeature: JSON.parse('{"__proto__":1,"export":4,"import":1}'),
    });
    expect(Object.keys(result.byFeature)).toHaveLength(3);
  });

  it('without any use, and without a limit', async () => {
    const { id } = await app.license();
    expect(await usage.show(app.ctx, id)).toEqual({
      current: 0,
      max: null,
      remaining: null,
      percentUsed: null,
      byFeature: {},
    });
  });

  it('has the limit of the policy (D80)', async () => {
    const { id } = await app.license({ policyId: (await app.policy({ maxUses: 5 })).id });
    expect(await usage.show(app.ctx, id)).toMatchObject({ max: 5, remaining: 5, percentUsed: 0 });
  });
});

describe('list', () => {
  it('gives the records newest first, page by page, those before a reset included', async () => {
    const { id, key } = await app.license();
    await record(key, 'a', 1, { what: 'first' });
    app.clock.advance(1);
    await record(key, 'b', 2);
    await usage.reset(app.ctx, id);
    await record(key, 'c', 3);
    const { items, pagination } = await usage.list(app.ctx, id, first);
    expect(pagination).toEqual({ page: 1, limit: 50, total: 3, totalPages: 1 });
    expect(items.map(({ feature, counterAfter, epoch }) => [feature, counterAfter, epoch])).toEqual([
      ['c', 3, 1],
      ['b', 3, 0],
      ['a', 1, 0],
    ]);
    expect(items[2]).toEqual({
      id: expect.stringMatching(/^use_/),
      at: new Date(app.clock.epochMs() - 1000).toISOString(),
      feature: 'a',
      quantity: 1,
      counterAfter: 1,
      epoch: 0,
      metadata: { what: 'first' },
    });
    const second = await usage.list(app.ctx, id, { page: 2, limit: 2 });
    expect(second.items.map(({ feature }) => feature)).toEqual(['a']);
    expect(await faultsOf(usage.list(app.ctx, id, { page: 0, limit: 1 }))).toEqual(['page']);
    expect(await faultsOf(usage.list(app.ctx, id, { page: 1, limit: 501 }))).toEqual(['limit']);
  });
});

describe('reset', () => {
  it('brings the counter to 0, tells USAGE_RESET, and keeps the records', async () => {
    const { id, key } = await app.license({ maxUses: 10 });
    await record(key, 'export', 9);
    const { result, changes } = await app.changesBy(() => usage.reset(app.ctx, id));
    expect(result).toEqual({ current: 0, max: 10, remaining: 10, percentUsed: 0, byFeature: {} });
    expect(changes).toEqual({ events: ['USAGE_RESET'], rows: { licenses: '~1' } });
    const event = (await app.eventsOf(id)).find(({ type }) => type === 'USAGE_RESET');
    expect(event?.data.details).toEqual({
      previous: 9,
      current: 0,
      actor: { kind: 'system', id: null, label: null },
    });
    expect((await usage.list(app.ctx, id, first)).items).toHaveLength(1);
    expect(await isSound(id)).toBe(true);
  });

  it('arms the marks again (D79)', async () => {
    const { id, key } = await app.license({ maxUses: 2 });
    await record(key, 'export', 2);
    await usage.reset(app.ctx, id);
    const { changes } = await app.changesBy(() => record(key, 'export', 2));
    expect(changes.events).toEqual(['USAGE_EXHAUSTED', 'USAGE_RECORDED', 'USAGE_WARNING']);
    expect(await isSound(id)).toBe(true);
  });

  it('of a counter at 0 changes and tells nothing (C6)', async () => {
    const { id, key } = await app.license();
    expect((await app.changesBy(() => usage.reset(app.ctx, id))).changes).toEqual(nothing);
    await record(key, 'export');
    await usage.reset(app.ctx, id);
    expect((await app.changesBy(() => usage.reset(app.ctx, id))).changes).toEqual(nothing);
  });
});

describe('set', () => {
  it('goes on from the value, told in the timeline alone', async () => {
    const { id, key } = await app.license({ maxUses: 10 });
    await record(key, 'export', 3);
    const { result, changes } = await app.changesBy(() => usage.set(app.ctx, id, 7));
    expect(result).toEqual({ current: 7, max: 10, remaining: 3, percentUsed: 70, byFeature: {} });
    expect(changes).toEqual({ events: ['USAGE_SET'], rows: { licenses: '~1' } });
    const line = (await app.eventsOf(id)).find(({ type }) => type === 'USAGE_SET');
    expect(line?.data).toEqual({ details: { previous: 3, current: 7 } });
    await record(key, 'import', 2);
    expect(await usage.show(app.ctx, id)).toMatchObject({ current: 9, byFeature: { import: 2 } });
    expect(await isSound(id)).toBe(true);
  });

  it('may go above the limit, and then nothing more is counted', async () => {
    const { id, key } = await app.license({ maxUses: 10 });
    expect(await usage.set(app.ctx, id, 15)).toMatchObject({ remaining: 0, percentUsed: 150 });
    expect(await codeOf(record(key, 'export'))).toBe('USAGE_LIMIT_EXCEEDED');
  });

  it('takes 0 to 2^53-1', async () => {
    const { id } = await app.license();
    for (const current of [0, Number.MAX_SAFE_INTEGER]) {
      expect((await usage.set(app.ctx, id, current)).current).toBe(current);
    }
    for (const current of [-1, 1.5, Number.MAX_SAFE_INTEGER + 1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(await faultsOf(usage.set(app.ctx, id, current))).toEqual(['current']);
    }
    expect(await isSound(id)).toBe(true);
  });

  it('mends a sum that is wrong, also to the value that it shows', async () => {
    const { id, key } = await app.license();
    await record(key, 'export', 3);
    await app.instance.database.transaction(async ({ knex }) => {
      await knex('licenses').where({ id }).update({ current_uses: 4 });
    });
    expect(await isSound(id)).toBe(false);
    await usage.set(app.ctx, id, 4);
    expect(await isSound(id)).toBe(true);
  });
});

it('a license of another tenant and an unknown one are NOT_FOUND', async () => {
  const { id } = await app.license({}, await app.otherTenant());
  for (const named of [id, 'lic_nope']) {
    expect(await codeOf(usage.show(app.ctx, named))).toBe('NOT_FOUND');
    expect(await codeOf(usage.list(app.ctx, named, first))).toBe('NOT_FOUND');
    expect(await codeOf(usage.reset(app.ctx, named))).toBe('NOT_FOUND');
    expect(await codeOf(usage.set(app.ctx, named, 1))).toBe('NOT_FOUND');
  }
});
