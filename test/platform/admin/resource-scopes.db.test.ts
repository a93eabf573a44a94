// Every resource, seen from another tenant and from a product that its rows do not belong to; and bulk runs of each
// (admin.md 6.3, A3). The ids that paths name are in test/contract/admin-doors.db.test.ts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { LOOPBACK_PINS } from '../../support/webhooks.ts';
import { auditRows, outcomes } from './bulk-outcome.ts';
import { listed, type Place, type Places, placesOf, type Walk, walkOf } from './resource-walk.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ pins: LOOPBACK_PINS });
});
afterAll(() => app.close());

const seeded = listed.filter(([, { seed }]) => seed !== null);

/** Each with somebody who may see nothing of its rows: of another tenant, or confined to a product. */
const strangers = seeded.flatMap(([name, sample, twin]) => [
  ...(sample.everyTenant ? [] : [[name, 'another tenant', sample, twin] as const]),
  ...(sample.everyTenant || sample.everyProduct ? [] : [[name, 'another product', sample, twin] as const]),
]);

describe.each(strangers)('%s, seen from %s', (_name, from, sample, twin) => {
  it('are in no list, count, search, export or bulk run', async () => {
    const walk = walkOf(app, sample);
    const { place } = await placesOf(app, walk)(51);
    const stranger = await strangerTo(place, from);
    // Products themselves: the one that somebody is confined to is seen.
    const own = new Set([stranger.product]);
    const seen = async (query = {}) =>
      (await walk.everyItem(stranger, query)).items.filter(({ id }) => !own.has(id));
    if (!twin.parent) {
      expect(await seen()).toEqual([]);
      for (const [name, value] of Object.entries(sample.filters)) {
        const answer = await walk.ask(stranger, '', { [name]: value });
        const items = (answer.body.items ?? []) as unknown as { id: string }[];
        expect([name, items.filter(({ id }) => !own.has(id))]).toEqual([name, []]);
      }
    }
    const items = (await walk.everyItem(place)).items.filter(({ id }) => !own.has(id));
    const exported = await walk.ask(stranger, '/export', { format: 'jsonl' });
    for (const { id } of items) expect(exported.text).not.toContain(id);
    if (!sample.bulk || twin.without?.includes('bulk')) return;
    const ids = items.map(({ id }) => id);
    const named = await walk.ask(stranger, '/bulk', {}, { body: { ...sample.bulk, ids } });
    expect(outcomes(named)).toEqual(ids.map((id) => [id, 'NOT_FOUND']));
    const all = await walk.ask(stranger, '/bulk', {}, { body: { ...sample.bulk, filter: {} } });
    expect(outcomes(all).filter(([id]) => !own.has(id))).toEqual([]);
    expect((await walk.everyItem(place)).items.filter(({ id }) => !own.has(id))).toEqual(items);
  });

  async function strangerTo({ ctx, names }: Place, from: string): Promise<Place & { product: string }> {
    if (from === 'another tenant') {
      const other = await app.otherTenant();
      return { ctx: other, names, token: await app.adminToken('owner', {}, other), product: '' };
    }
    const { id } = await app.product({}, ctx);
    return { ctx, names, token: await app.adminToken('owner', { productIds: [id] }, ctx), product: id };
  }
});

const inBulk = seeded.flatMap(([name, sample]) =>
  sample.bulk ? [[name, sample, sample.bulk] as const] : [],
);

describe.each(inBulk)('a bulk run over %s', (_name, sample, bulk) => {
  let walk: Walk;
  let places: Places;
  beforeAll(() => {
    walk = walkOf(app, sample);
    places = placesOf(app, walk);
  });

  it('rehearsed changes nothing; run it tells of each row, and each that it changed is on record once', async () => {
    const { place } = await places(51);
    const { items } = await walk.everyItem(place);
    const ids = [...items.map(({ id }) => id), 'nobody', items[0]?.id ?? ''];
    const run = (more: object) => walk.ask(place, '/bulk', {}, { body: { ...bulk, ...more } });
    const before = await auditRows(place.ctx);
    const rehearsed = await run({ ids, dryRun: true });
    expect((await walk.everyItem(place)).items).toEqual(items);
    expect((await auditRows(place.ctx)).length).toBe(before.length);
    const done = await run({ ids });
    expect(outcomes(done)).toEqual(outcomes(rehearsed));
    expect(outcomes(done).map(([id]) => id)).toEqual([...new Set(ids)]);
    const succeeded = outcomes(done).filter(([, code]) => code === null);
    const total = items.length + 1;
    expect(done.body.summary).toEqual({
      total,
      succeeded: succeeded.length,
      failed: total - succeeded.length,
    });
    expect(outcomes(done)).toContainEqual(['nobody', 'NOT_FOUND']);
    expect(succeeded.length).toBeGreaterThan(0);
    // An entry of each, in the same transaction; one that is about another thing, such as its license, stands beside it.
    const changed = new Set(succeeded.map(([id]) => id));
    const audited = (await auditRows(place.ctx)).slice(before.length);
    const own = audited.filter(({ target_id }) => changed.has(target_id));
    expect(new Set(own.map(({ action, target_id }) => `${action} ${target_id}`)).size).toBe(own.length);
    expect(audited.length).toBeGreaterThan(0);
  });
});
