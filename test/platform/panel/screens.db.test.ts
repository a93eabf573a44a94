// Every resource that has pages, opened as staff does: lists of no, one, many and very many rows, each filter and sort
// against what the admin API tells, an item, and its forms; who lacks the permission, and who is of another tenant.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Screen } from '#platform/admin/index.ts';
import type { Permission } from '#platform/permissions/index.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import type { Browser } from '../../support/browser.ts';
import { LOOPBACK_PINS } from '../../support/webhooks.ts';
import {
  filtersOf,
  listed,
  type Place,
  type Places,
  placesOf,
  type Walk,
  walkOf,
} from '../admin/resource-walk.ts';
import { headingOf, member, rowsOf, totalOf } from './staff.ts';

const A_PAGE = 50;

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ pins: LOOPBACK_PINS });
});
afterAll(() => app.close());

const screened = listed.flatMap(([name, sample, twin]) => {
  const { screen } = sample.resource.spec as unknown as { screen?: Screen };
  return screen ? [[name, sample, twin, screen] as const] : [];
});

describe.each(screened)('%s', (_name, sample, { paged = true }, screen) => {
  let walk: Walk;
  let places: Places;
  beforeAll(() => {
    walk = walkOf(app, sample);
    places = placesOf(app, walk);
  });
  const browsers = new Map<Place, Browser>();
  const some = sample.seed ? 51 : 0;
  const { spec } = sample.resource;

  /** The address of the list in a place, and a browser of somebody who may see it. */
  async function open(place: Place, permissions?: readonly Permission[]) {
    const path = screen.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => place.names[name] ?? '');
    const tenant = sample.everyTenant ? undefined : place.ctx.tenantId;
    const known = permissions ? undefined : browsers.get(place);
    const browser = known ?? (await member(app, permissions, tenant)).browser;
    if (!permissions) browsers.set(place, browser);
    return { path, get: (rest = '') => browser.open(path + rest), browser };
  }

  it.each(sample.seed ? [0, 1, 51] : [0])('%i rows are shown by pages', async (n) => {
    const { place } = await places(n);
    const { get } = await open(place);
    const { status, text } = await get();
    expect(status).toBe(200);
    // Whoever looks may be one of the rows.
    const total = await walk.total(place);
    expect(total).toBeGreaterThanOrEqual(n);
    expect(rowsOf(text)).toHaveLength(paged === false ? total : Math.min(A_PAGE, total));
    if (total === 0) expect(text).toContain(screen.empty.text.replaceAll("'", '&#39;'));
    else expect(totalOf(text)).toBe(paged === 'cursor' ? null : total);
  });

  it('each filter and sort shows what the admin API tells, and says what is wrong with a bad one', async () => {
    const { place } = await places(some);
    const { get } = await open(place);
    const { items } = await walk.everyItem(place);
    for (const [name, value] of Object.entries(sample.seed ? filtersOf(walk, items) : {})) {
      const { status, text } = await get(`?${new URLSearchParams({ [name]: value })}`);
      const total = await walk.total(place, { [name]: value });
      expect([name, status, rowsOf(text).length]).toEqual([name, 200, Math.min(A_PAGE, total)]);
    }
    for (const sort of spec.rows.sorts) {
      const { status, text } = await get(`?sort=${sort}`);
      expect([sort, status, rowsOf(text).length]).toEqual([sort, 200, Math.min(A_PAGE, items.length)]);
    }
    const bad = await get('?sort=nothing');
    expect([bad.status, bad.text.includes('The list could not be narrowed')]).toEqual([400, true]);
  });

  it('who lacks the permission is refused, and does not find it in the navigation', async () => {
    const { place } = await places(0);
    const { get, browser } = await open(place, ['orders:read']);
    if (spec.needs.read === 'staff') expect((await get()).status).toBe(200);
    else {
      const { status, text } = await get();
      expect([status, headingOf(text)]).toEqual([403, 'You may not open this page']);
      expect((await browser.open('/admin/tasks')).text).not.toContain(`href="${screen.path}"`);
    }
  });
});
