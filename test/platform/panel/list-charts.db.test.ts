// Charts above lists and of a license: requests, seats, machines, activity and refusals (admin.md 5.5, 8).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { percentile } from '#licensing/insight/requests/index.ts';
import * as accounts from '#platform/accounts/index.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import type { Browser } from '../../support/browser.ts';
import { member, textOf } from './staff.ts';

let app: TestApp;
let browser: Browser;
beforeAll(async () => {
  app = await startApp();
  ({ browser } = await member(app));
});
afterAll(() => app.close());

const insert = (table: string, rows: object[]) =>
  app.instance.database.transaction(async ({ knex }) => knex(table).insert(rows));
const ago = (hours: number): string => new Date(Date.parse(app.ctx.now()) - hours * 3_600_000).toISOString();
const hourOf = (iso: string): string => `${iso.slice(0, 13)}:00:00.000Z`;
const dayOf = (iso: string): string => iso.slice(0, 10);
const asked = (hours: number, up_to_ms: number, requests: number, refused = 0, failed = 0) => ({
  tenant_id: app.ctx.tenantId,
  hour: hourOf(ago(hours)),
  up_to_ms,
  requests,
  refused,
  failed,
});
/** The table of a chart: rows of cells. */
const figuresOf = (html: string, id: string): string[][] => {
  const figure = html.split('<figure').find((one) => one.includes(`${id}-t`)) ?? '';
  const body = /<tbody>([\s\S]*?)<\/tbody>/.exec(figure)?.[1] ?? '';
  return [...body.matchAll(/<tr>([\s\S]*?)<\/tr>/g)].map(([, row = '']) =>
    [...row.matchAll(/<td[^>]*>([\s\S]*?)<\/td>/g)].map(([, cell = '']) => textOf(cell)),
  );
};
const FRAGMENT = { 'HX-Request': 'true', 'HX-Target': 'section#charts' };

it.each([
  [[], 95, null],
  [[{ upToMs: 4, requests: 10 }], 50, 3.5],
  [[{ upToMs: 4, requests: 10 }], 99, 3.99],
  [
    [
      { upToMs: 1000, requests: 1 },
      { upToMs: 1, requests: 99 },
    ],
    50,
    50 / 99,
  ],
])('of %j the part %d took at most %s ms', (counted, part, ms) => {
  const found = percentile(counted, part);
  if (ms === null) expect(found).toBeNull();
  else expect(found).toBeCloseTo(ms, 6);
});

it('requests are drawn by hour or day, with what was refused and how long they took, and zoom is the filter of the list', async () => {
  await insert('license_request_hours', [asked(2, 4, 90, 5, 1), asked(2, 100, 10, 0, 2), asked(50, 2, 7)]);
  const list = await browser.open('/admin/requests?code=REVOKED');
  expect(list.text).toContain('hx-get="/admin/requests/charts" hx-include="form.filter"');
  expect(list.text).toContain('<a href="/admin/requests/charts?code=REVOKED">Charts</a>');
  const day = await browser.open('/admin/requests/charts', FRAGMENT);
  expect([day.status, day.text.includes('<html')]).toEqual([200, false]);
  const at = `${hourOf(ago(2)).slice(0, 13).replace('T', ' ')}:00`;
  const found = figuresOf(day.text, 'chart-rate').find(([hour]) => hour === at);
  expect(found).toEqual([at, '100', '5', '3']);
  const [, p50, p95] = figuresOf(day.text, 'chart-duration').find(([hour]) => hour === at) ?? [];
  expect([Number(p50), Number(p95)]).toEqual([3.6, 87.5]);
  const week = await browser.open(
    `/admin/requests/charts?${new URLSearchParams({ from: ago(168), code: 'REVOKED' })}`,
  );
  expect(figuresOf(week.text, 'chart-rate').find(([one]) => one === dayOf(ago(50)))).toEqual([
    dayOf(ago(50)),
    ...(dayOf(ago(50)) === dayOf(ago(2)) ? ['107', '5', '3'] : ['7', '0', '0']),
  ]);
  // A row leads to the list of its time, with its other filters.
  const href = new RegExp(`<a href="([^"]*)">${dayOf(ago(50))}</a>`).exec(week.text)?.[1] ?? '';
  const zoomed = new URL(href.replaceAll('&amp;', '&'), 'http://x.test');
  expect([zoomed.pathname, Object.fromEntries(zoomed.searchParams)]).toEqual([
    '/admin/requests',
    {
      code: 'REVOKED',
      from: `${dayOf(ago(50))}T00:00:00.000Z`,
      to: `${dayOf(ago(26))}T00:00:00.000Z`,
    },
  ]);
  expect((await browser.open(zoomed.pathname + zoomed.search)).status).toBe(200);
});

it('requests of more than 90 days are drawn by whole weeks, each of which leads to its list', async () => {
  await insert('license_request_hours', [
    asked(24 * 40, 4, 30, 2),
    asked(24 * 40, 100, 10),
    asked(24 * 41, 4, 1),
  ]);
  const { text } = await browser.open(`/admin/requests/charts?from=${ago(24 * 120)}`);
  const rows = figuresOf(text, 'chart-rate');
  const mondays = rows.map(([day]) => new Date(`${day}T00:00:00Z`).getUTCDay());
  expect([rows.length >= 17, rows.length <= 18, mondays.every((one) => one === 1)]).toEqual([
    true,
    true,
    true,
  ]);
  const counts = rows.map(([, count]) => Number(count));
  const before = rows.filter(([day = '']) => day > dayOf(ago(24 * 50)) && day < dayOf(ago(24 * 30)));
  expect(before.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(41);
  expect(counts.some((count) => count >= 40)).toBe(true);
  const [, href = '', monday = ''] = /<a href="([^"]*)">(\d{4}-\d\d-\d\d)<\/a>/.exec(text) ?? [];
  const zoomed = new URL(href.replaceAll('&amp;', '&'), 'http://x.test');
  const next = new Date(Date.parse(`${monday}T00:00:00.000Z`) + 7 * 86_400_000).toISOString();
  expect(Object.fromEntries(zoomed.searchParams)).toEqual({ from: `${monday}T00:00:00.000Z`, to: next });
  expect((await browser.open(zoomed.pathname + zoomed.search)).status).toBe(200);
  const ninety = await browser.open(`/admin/requests/charts?from=${hourOf(ago(24 * 90))}`);
  expect(figuresOf(ninety.text, 'chart-rate')).toHaveLength(91);
});

it('a time that is none, a range that ends before it begins, and hostile texts draw the last day', async () => {
  const hostile = '"><script>alert(1)</script>';
  for (const query of [
    { from: hostile },
    { from: ago(1), to: ago(5) },
    { from: '0001-01-01T00:00:00Z' },
    { days: hostile },
  ]) {
    const path = `/admin/requests/charts?${new URLSearchParams(query)}`;
    const { status, text } = await browser.open(path);
    expect([status, text.includes('<script>alert')]).toEqual([200, false]);
    // As words: a random token may hold the letters of one of them.
    expect(text).not.toMatch(/\b(NaN|Infinity|undefined)\b/);
  }
});

it('floating seats are drawn beside their limit, and refusals by day; of the product that the list is narrowed to', async () => {
  const product = await app.product();
  const other = await app.product();
  const { id } = await app.license({ productId: product.id, type: 'FLOATING', maxActivations: 5 });
  const hour = hourOf(ago(1));
  await insert('license_seat_hours', [
    { product_id: product.id, hour, used: 4, seats: 5 },
    { product_id: other.id, hour, used: 1, seats: 7 },
  ]);
  const at = app.ctx.now();
  const denial = { license_id: id, day: dayOf(at), machines: 1, first_at: at, last_at: at };
  await insert('license_denials', [
    { ...denial, code: 'SEATS_EXHAUSTED', count: 9 },
    { ...denial, code: 'REVOKED', count: 3 },
  ]);
  const shown = `${hour.slice(0, 13).replace('T', ' ')}:00`;
  const all = await browser.open('/admin/seats/charts');
  expect(figuresOf(all.text, 'chart-occupancy').find(([one]) => one === shown)).toEqual([shown, '5', '12']);
  expect(figuresOf(all.text, 'chart-denied').at(-1)).toEqual([dayOf(at), '9']);
  const one = await browser.open(`/admin/seats/charts?productId=${product.slug}&days=30`);
  expect(figuresOf(one.text, 'chart-occupancy').find(([day]) => day === dayOf(hour))).toEqual([
    dayOf(hour),
    '4',
    '5',
  ]);
  expect(one.text).toContain(`href="/admin/seats/charts?productId=${product.slug}&amp;days=90"`);
  const none = await browser.open('/admin/seats/charts?productId=unknown');
  expect([none.status, figuresOf(none.text, 'chart-denied').at(-1)?.[1]]).toEqual([200, '0']);
});

it('versions are stacked by day, the rare ones together, whatever clients call theirs', async () => {
  const { id: product_id } = await app.product();
  const hostile = '<script>alert(2)</script>';
  const [day, before] = [dayOf(app.ctx.now()), dayOf(ago(24))];
  const row = (day: string, version: string, machines: number) => ({ product_id, day, version, machines });
  await insert('license_version_days', [
    row(before, '1.0.0', 9),
    row(day, '1.0.0', 4),
    row(day, '2.0.0', 6),
    row(day, hostile, 3),
    row(day, '0.9.0', 1),
    row(day, '', 2),
    row(day, '*', 5),
  ]);
  const { status, text } = await browser.open(`/admin/machines/charts?productId=${product_id}`);
  expect([status, text.includes('<script>alert')]).toEqual([200, false]);
  expect(figuresOf(text, 'chart-versions').slice(-2)).toEqual([
    [before, '0', '9', '0', '0'],
    [day, '6', '4', '3', '8'],
  ]);
  expect(textOf(text)).toContain('Others and unknown');
});

it('a license shows its days, its machines beside those that it allows, and why it was refused', async () => {
  const { secret } = await app.apiKey('VALIDATE_ONLY');
  const { id, key } = await app.license({ maxActivations: 3 });
  await app.post('/api/v1/license/activate', { key, machineId: 'machine-0001' }, secret);
  const [today, before] = [dayOf(app.ctx.now()), dayOf(ago(24))];
  await insert('license_stats', [
    { license_id: id, day: before, validations: 12, denials: 2, heartbeats: 0, last_validated_at: null },
  ]);
  const at = ago(24);
  await insert('license_denials', [
    {
      license_id: id,
      day: before,
      code: 'SEATS_EXHAUSTED',
      count: 2,
      machines: 1,
      first_at: at,
      last_at: at,
    },
  ]);
  const activity = await browser.open(`/admin/licenses/${id}?tab=activity`);
  expect(figuresOf(activity.text, 'chart-validations').slice(-2)).toEqual([
    [before, '12', '2'],
    [today, '–', '–'],
  ]);
  expect(figuresOf(activity.text, 'chart-machines').slice(-2)).toEqual([
    [before, '0', '3'],
    [today, '1', '3'],
  ]);
  const refused = await browser.open(`/admin/licenses/${id}?tab=refusals`);
  expect(textOf(refused.text)).toMatch(
    new RegExp(`${before} SEATS_EXHAUSTED Maximum activations reached 2 1 \\d{4}-.* UTC`),
  );
  expect(refused.text).toContain(`/admin/requests?licenseId=${id}&amp;code=SEATS_EXHAUSTED&amp;from=`);
  const fresh = await app.license();
  const none = await browser.open(`/admin/licenses/${fresh.id}?tab=refusals`);
  expect(textOf(none.text)).toContain('No request for this license was refused in the last 31 days.');
});

it('counts nothing of another tenant, and nothing of all products for whom some are shown', async () => {
  const other = await app.otherTenant();
  const { browser: stranger } = await member(app, undefined, other.tenantId);
  for (const path of ['/admin/requests/charts', '/admin/seats/charts', '/admin/machines/charts']) {
    const { status, text } = await stranger.open(path);
    expect(status).toBe(200);
    const figures = [...text.matchAll(/<td class="number">([^<]*)<\/td>/g)].map(([, value]) => value);
    expect(figures.filter((value) => value !== '0' && value !== '–')).toEqual([]);
  }
  const product = await app.product();
  const { id, browser: confined } = await member(app);
  await accounts.setScopes(app.ctx, id, { license_product: [product.id] });
  const { text } = await confined.open('/admin/requests/charts');
  expect([text.includes('<figure'), textOf(text).includes('Charts count all products')]).toEqual([
    false,
    true,
  ]);
  const seats = await confined.open('/admin/seats/charts');
  expect(figuresOf(seats.text, 'chart-denied').map(([, denied]) => denied)).not.toContain('9');
  const { browser: nobody } = await member(app, ['audit:read']);
  expect((await nobody.open('/admin/requests/charts')).status).toBe(403);
});
