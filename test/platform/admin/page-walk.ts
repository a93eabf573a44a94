// The pages of a resource, opened as staff does on the rows that its operations were judged by: lists by pages, filters and
// sorts against what the admin API tells, files, an item with its tabs, and every form; who may not, and who is elsewhere.
import { expect, it } from 'vitest';
import type { Screen } from '#platform/admin/index.ts';
import type { Permission } from '#platform/permissions/index.ts';
import type { TestApp } from '../../support/app.ts';
import type { Browser } from '../../support/browser.ts';
import { filled } from '../../support/resource-sample.ts';
import { headingOf, member, rowsOf, totalOf } from '../panel/staff.ts';
import { filtersOf, type Place, type Places, type Walk } from './resource-walk.ts';

const A_PAGE = 50;

/** What the tests of a resource share; it is there when they run. */
export interface Shared {
  readonly app: TestApp;
  readonly walk: Walk;
  readonly places: Places;
}

/**
 * States the tests of a resource's pages.
 *
 * @param many how many rows the fullest place has, which the tests of the operations seed as well
 */
export function walkPages(
  { sample, screen }: { sample: Walk['sample']; screen: Screen },
  many: number,
  shared: () => Shared,
): void {
  const browsers = new Map<Place, Browser>();
  const some = sample.seed ? 51 : 0;
  const { spec } = sample.resource;

  /** The address of the list in a place, and a browser of somebody who may see it. */
  async function open(place: Place, permissions?: readonly Permission[]) {
    const { app } = shared();
    const path = filled(screen.path, place.names);
    const tenant = sample.everyTenant ? undefined : place.ctx.tenantId;
    const known = permissions ? undefined : browsers.get(place);
    const browser = known ?? (await member(app, permissions, tenant)).browser;
    if (!permissions) browsers.set(place, browser);
    return { path, get: (rest = '') => browser.open(path + rest), browser };
  }

  it.each(sample.seed ? [...new Set([0, 1, 51, many])] : [0])('%i rows are shown by pages', async (n) => {
    const { walk, places } = shared();
    const { paged = true } = walk.twin;
    const { place } = await places(n);
    const { get } = await open(place);
    const { status, text } = await get();
    expect(status).toBe(200);
    // Whoever looks may be one of the rows.
    const total = paged === true || n < many ? await walk.total(place) : n;
    expect(total).toBeGreaterThanOrEqual(n);
    expect(rowsOf(text)).toHaveLength(paged === false ? total : Math.min(A_PAGE, total));
    if (total === 0) expect(text).toContain(screen.empty.text.replaceAll("'", '&#39;'));
    else expect(totalOf(text)).toBe(paged === 'cursor' ? null : total);
    const next = /<a rel="next" href="([^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&');
    expect(next !== undefined).toBe(paged !== false && total > A_PAGE);
    if (next === undefined) return;
    const second = await (await open(place)).browser.open(next);
    expect([second.status, rowsOf(second.text).length]).toEqual([200, Math.min(A_PAGE, total - A_PAGE)]);
    if (paged !== true) return;
    const last = await get(`?page=${Math.ceil(total / A_PAGE)}`);
    expect([last.status, rowsOf(last.text).length]).toEqual([200, ((total - 1) % A_PAGE) + 1]);
  });

  it('each filter and sort shows what the admin API tells, and says what is wrong with a bad one', async () => {
    const { walk, places } = shared();
    const { place, filters } = await places(some);
    const { get } = await open(place);
    const { items } = await walk.everyItem(place);
    for (const [name, value] of Object.entries(sample.seed ? filtersOf(walk, items, filters) : {})) {
      const { status, text } = await get(`?${new URLSearchParams({ [name]: value })}`);
      const total = await walk.total(place, { [name]: value });
      expect([name, status, rowsOf(text).length]).toEqual([name, 200, Math.min(A_PAGE, total)]);
    }
    for (const sort of spec.rows.sorts) {
      const { status, text } = await get(`?sort=${sort}`);
      expect([sort, status, rowsOf(text).length]).toEqual([sort, 200, Math.min(A_PAGE, items.length)]);
    }
    for (const { query } of screen.views ?? [])
      expect([query, (await get(`?${query}`)).status]).toEqual([query, 200]);
    const bad = await get('?sort=nothing');
    expect([bad.status, bad.text.includes('The list could not be filtered')]).toEqual([400, true]);
  });

  it('its files are what the admin API exports of the same rows', async () => {
    const { walk, places } = shared();
    const { place, filters } = await places(some);
    const { get, browser } = await open(place);
    const { items } = await walk.everyItem(place);
    const [filter] = Object.entries(sample.seed ? filtersOf(walk, items, filters) : {});
    const query: Record<string, string> = filter ? { [filter[0]]: filter[1] } : {};
    const { text } = await get(`?${new URLSearchParams(query)}`);
    const hrefs = [...text.matchAll(/<a href="([^"]*)" download>/g)].map(([, href = '']) => href);
    const isExported = rowsOf(text).length > 0 && !walk.twin.without?.includes('export');
    expect(hrefs).toHaveLength(isExported ? 2 : 0);
    for (const [at, format] of isExported ? ['csv', 'jsonl'].entries() : []) {
      const file = await browser.open((hrefs[at] ?? '').replaceAll('&amp;', '&'));
      const told = await walk.ask(place, '/export', { ...query, format });
      expect([format, file.status, changingLess(file.text)]).toEqual([format, 200, changingLess(told.text)]);
    }
  });

  /** Without what differs with each look. */
  const changingLess = (file: string): string => (sample.changing ? String(file.split('\n').length) : file);

  /** The page of the first row that has one, and all that it and its list lead to below themselves. */
  async function pagesBelow(place: Place): Promise<{ item: string | null; pages: readonly string[] }> {
    const { get, browser, path } = await open(place);
    const { text } = await get();
    const forms = hrefsIn(text).filter((href) => href.startsWith(`${path}/`));
    const [, first = ''] = /<tbody>[\s\S]*?<a href="([^"]+)"/.exec(text) ?? [];
    const at = filled(screen.itemsAt ?? path, place.names);
    const item = !first.startsWith(`${at}/`) || first.slice(at.length + 1).includes('/') ? null : first;
    const own = item === null ? [] : hrefsIn((await browser.open(item)).text);
    const below = own.filter(
      (href) => item !== null && (href.startsWith(`${item}/`) || href.startsWith(`${item}?`)),
    );
    const more =
      item === null ? [] : (spec.actions ? Object.keys(spec.actions) : []).map((name) => `${item}/${name}`);
    const asks = more.filter((one) => own.includes(one));
    return { item, pages: [...new Set([...forms, ...below, ...asks])].filter((href) => !isFile(href)) };
  }

  it('an item, its tabs and every form are shown; to whoever is elsewhere, nothing tells that they are there', async () => {
    const { app, places } = shared();
    const { place } = await places(some);
    const { browser } = await open(place);
    const { item, pages } = await pagesBelow(place);
    for (const path of [...(item ? [item] : []), ...pages]) {
      const { status, text } = await browser.open(path.replace(/#.*/, ''));
      expect([path, status, headingOf(text) !== '']).toEqual([path, 200, true]);
    }
    if (item === null || sample.everyTenant) return;
    const elsewhere = await app.otherTenant();
    const { browser: stranger } = await member(app, undefined, elsewhere.tenantId);
    const key = item.split('/').at(-1) ?? '';
    // Of the same length, and of nothing.
    const unknown = key.slice(0, -4) + (key.endsWith('0000') ? '1111' : '0000');
    for (const path of [item, ...pages.filter((one) => one.startsWith(`${item}/`))]) {
      const foreign = await stranger.open(path);
      const none = await stranger.open(path.replace(key, unknown));
      expect([path, foreign.status, none.status]).toEqual([path, 404, 404]);
      expect(bare(foreign.text, key)).toBe(bare(none.text, unknown));
    }
  });

  it('who lacks the permission is refused, and does not find it in the navigation', async () => {
    const { places } = shared();
    const { place } = await places(0);
    const { get, browser } = await open(place, ['orders:read']);
    if (spec.needs.read === 'staff') expect((await get()).status).toBe(200);
    else {
      const { status, text } = await get();
      expect([status, headingOf(text)]).toEqual([403, 'You cannot open this page']);
      expect((await browser.open('/admin/tasks')).text).not.toContain(`href="${screen.path}"`);
    }
  });
}

const isFile = (href: string): boolean => /\.(?:csv|jsonl)\b|[?&]format=/.test(href);

const hrefsIn = (html: string): string[] =>
  [...html.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'));

/** A page without what is of one request: its token, its id, and the name that was asked for. */
const bare = (html: string, key: string): string =>
  html
    .replaceAll(key, 'KEY')
    .replaceAll(/(name="_csrf" value|name="csrf-token" content)="[^"]*"/g, '$1')
    .replaceAll(/req_\w+|[0-9a-f]{8}-[0-9a-f-]{27}/g, 'REQUEST');
