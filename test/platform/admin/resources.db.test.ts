// Every resource that staff works with, walked as its callers do (admin.md A1, A2): lists of no, one, many and very many
// rows, each filter and sort, and exports; and their pages, on the same rows. Who may call, bodies, rehearsals and If-Match are in
// test/contract/admin*.db.test.ts, scopes and bulk runs beside this file: all of them walk the same samples.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Screen } from '#platform/admin/index.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { LOOPBACK_PINS } from '../../support/webhooks.ts';
import { walkPages } from './page-walk.ts';
import {
  asCells,
  ascending,
  csvItems,
  dice,
  filtersOf,
  fits,
  listed,
  type Places,
  placesOf,
  sortedBy,
  type Walk,
  walkOf,
} from './resource-walk.ts';

const MANY = 10_000;
/** More than an export reads at a time. */
const SEVERAL = 1100;

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ pins: LOOPBACK_PINS });
});
afterAll(() => app.close());

describe.each(listed)('%s', (_name, sample, { paged = true, without = [] }) => {
  let walk: Walk;
  let places: Places;
  beforeAll(() => {
    walk = walkOf(app, sample);
    places = placesOf(app, walk);
  });
  const { rows } = sample.resource.spec;
  const words = rows.sorts.filter((word) => !word.startsWith('-'));
  const some = sample.seed ? 51 : 0;
  const many = sample.seed && paged !== false ? MANY : some;
  const several = Math.min(many, SEVERAL);

  it.each(sample.seed ? [0, 1, 51] : [0])('%i rows: each of them once, on pages of any length', async (n) => {
    const { place, before } = await places(n);
    for (const limit of [500, 20]) {
      const { items, total } = await walk.everyItem(place, {}, limit);
      expect(new Set(items.map(({ id }) => id)).size).toBe(items.length);
      expect([items.length, total ?? items.length]).toEqual([before + n, before + n]);
    }
    if (paged !== true) return;
    const { body } = await walk.ask(place, '', { page: '1000', limit: '20' });
    const total = before + n;
    const pagination = { page: 1000, limit: 20, total, totalPages: Math.ceil(total / 20) };
    expect([body.items, body.pagination]).toEqual([[], pagination]);
  });

  it.each(words)('sorted by %s: a total order, the same backward, what has no value last', async (word) => {
    const { place } = await places(some);
    const { items } = await walk.everyItem(place, { sort: word }, 20);
    const rising = items.map(({ id }) => id);
    const falling = (await walk.everyItem(place, { sort: `-${word}` }, 20)).items.map(({ id }) => id);
    const valued = rising.indexOf(falling[0] ?? '') + 1;
    expect(falling).toEqual([...rising.slice(0, valued).reverse(), ...rising.slice(valued).reverse()]);
    const values = items.map((item) => sortedBy(sample, word, item));
    if (values.includes(undefined)) return;
    expect(values.slice(valued).filter((value) => value !== null)).toEqual([]);
    expect(values.slice(0, valued)).toEqual(values.slice(0, valued).toSorted(ascending));
  });

  let read: ReturnType<Walk['everyItem']> | undefined;
  /** All of the very many, read once: nobody changes them. */
  const everyone = () => {
    read ??= places(many).then(({ place }) => walk.everyItem(place));
    return read;
  };

  it('each of very many rows is on one page, and each filter leaves some of them, and right ones', async () => {
    const { place, before } = await places(many);
    const { items, total } = await everyone();
    expect([new Set(items.map(({ id }) => id)).size, total ?? items.length]).toEqual([
      before + many,
      before + many,
    ]);
    for (const [name, value] of Object.entries(sample.seed ? filtersOf(walk, items) : {})) {
      const query = { [name]: value };
      const left = await walk.total(place, query);
      expect([name, left > 0, left < before + many]).toEqual([name, true, true]);
      const shown = (await walk.ask(place, '', query)).body.items as never;
      const wrong = [...shown].filter((item) => !fits(walk, name, value, item));
      expect([name, wrong]).toEqual([name, []]);
    }
  });

  let found: Promise<Record<string, string>> | undefined;
  /** One value for each of several rows, however often it is asked. */
  const filters = () => {
    found ??= places(several).then(async ({ place, filters }) =>
      filtersOf(walk, (await walk.everyItem(place)).items, filters),
    );
    return found;
  };

  it.each(without.includes('export') ? [] : [1, 2, 3, 4, 5])(
    'an export is the list over all its pages, for set %i of filters by chance',
    async (seed) => {
      const { place } = await places(several);
      const roll = dice(seed);
      const values = Object.entries(sample.seed ? await filters() : {});
      const chosen = values.filter((_, at) => at % 5 === seed % 5 || roll(4) === 0);
      const query = {
        ...Object.fromEntries(chosen),
        ...(words.length > 0 && { sort: rows.sorts[roll(rows.sorts.length)] ?? '' }),
      };
      const items = (await walk.everyItem(place, query)).items.map(steady);
      const lines = await walk.ask(place, '/export', { ...query, format: 'jsonl' });
      const told = lines.text
        .split('\n')
        .filter(Boolean)
        .map((line) => steady(JSON.parse(line)));
      expect([
        lines.status,
        lines.text.slice(0, lines.status === 200 ? 0 : 300),
        lines.headers['content-type'],
      ]).toEqual([200, '', 'application/x-ndjson; charset=utf-8']);
      expect(told).toEqual(items);
      const csv = await walk.ask(place, '/export', query);
      expect(csv.headers['content-disposition']).toMatch(/^attachment; filename=".+\.csv"/);
      const { records, formulas } = csvItems(csv.text);
      expect(records.map(steady)).toEqual(items.map(asCells));
      expect(formulas).toEqual([]);
    },
  );

  const steady = <T extends object>(item: T): Partial<T> =>
    Object.fromEntries(
      Object.entries(item).filter(([name]) => !sample.changing?.includes(name)),
    ) as Partial<T>;

  const { screen } = sample.resource.spec as unknown as { screen?: Screen };
  if (screen)
    describe('in the panel', () => walkPages({ sample, screen }, many, () => ({ app, walk, places })));
});
