// The first page of the panel: what is to do, figures against those before, their course; and reports with their range.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import * as products from '#licensing/catalog/products/index.ts';
import * as tenants from '#platform/tenants/index.ts';
import { mintedLicense } from '../../contract/staff/minted.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import type { Browser } from '../../support/browser.ts';
import { headingOf, member, rowsOf, textOf } from './staff.ts';

let app: TestApp;
let browser: Browser;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  ({ browser } = await member(app));
});

const dayOf = (ago: number): string =>
  new Date(Date.parse(app.ctx.now()) - ago * 86_400_000).toISOString().slice(0, 10);
/** Requests about the licenses of a product on a day. */
const asked = (productId: string, day: string, validations: number, denials = 0) =>
  app.instance.database.transaction(async (db) => {
    await db
      .knex('license_daily_totals')
      .insert({ product_id: productId, day, validations, denials, heartbeats: 0 });
  });
const tile = (html: string, label: string): string =>
  textOf(new RegExp(`<div><dt><a[^>]*>${label}[\\s\\S]*?</div>`).exec(html)?.[0] ?? '');

it('leads a new installation to its first license, whoever may create one', async () => {
  const begin = 'href="/admin/setup/first-license"';
  expect((await browser.open('/admin/')).text).toContain(begin);
  const { browser: viewer } = await member(app, ['licensing:read']);
  expect((await viewer.open('/admin/')).text).not.toContain(begin);
  await mintedLicense(app.ctx);
  expect((await browser.open('/admin/')).text).not.toContain(begin);
});

it('shows figures against the days before, by the period that is chosen', async () => {
  const { id: productId } = (await mintedLicense(app.ctx)).product;
  await asked(productId, dayOf(0), 30, 2);
  await asked(productId, dayOf(1), 20);
  await asked(productId, dayOf(9), 25);
  const today = (await browser.open('/admin/?days=1')).text;
  expect(headingOf(today)).toBe('Home');
  expect(tile(today, 'Validations')).toBe('Validations +50 % against yesterday 30');
  expect(tile(today, 'Refused requests')).toBe('Refused requests none yesterday 2');
  const week = (await browser.open('/admin/?days=7')).text;
  expect(tile(week, 'Validations')).toBe('Validations +100 % against the 7 days before 50');
  expect(week.match(/<svg role="img"/g)).toHaveLength(5);
  expect(week).toContain(`${dayOf(0)}</a></td><td class="number">30</td>`);
  expect((await browser.open('/admin/?days=8')).status).toBe(400);
});

it('shows a year by week: whole weeks, each with its calls', async () => {
  const { id: productId } = (await mintedLicense(app.ctx)).product;
  const monday = app.ctx.now().slice(0, 10);
  const shift = (new Date(monday).getUTCDay() + 6) % 7;
  await asked(productId, dayOf(shift + 7), 1000);
  await asked(productId, dayOf(shift + 1), 2000);
  const { text } = await browser.open('/admin/?days=365');
  expect(text).toContain('Validations <span class="hint">(requests per week)</span>');
  const chart = /<figure class="chart">[\s\S]*?<\/figure>/.exec(text)?.[0] ?? '';
  const rows = rowsOf(chart);
  expect(rows.length).toBeGreaterThanOrEqual(52);
  expect(rows.every(([day = '']) => new Date(day).getUTCDay() === 1)).toBe(true);
  const week = rows.find(([day]) => day === dayOf(shift + 7));
  expect(Number(week?.[1]?.replaceAll(',', ''))).toBeGreaterThanOrEqual(3000);
  const [, href = ''] = new RegExp(`<a href="([^"]*)">${dayOf(shift + 7)}</a>`).exec(chart) ?? [];
  expect(href.replaceAll('&amp;', '&')).toBe(
    `/admin/requests?from=${dayOf(shift + 7)}T00%3A00%3A00Z&to=${dayOf(shift)}T00%3A00%3A00Z`,
  );
  expect((await browser.open(href.replaceAll('&amp;', '&'))).status).toBe(200);
});

it('gives the figures of each chart as a file', async () => {
  const { text } = await browser.open('/admin/?days=30');
  const hrefs = [...text.matchAll(/<a href="([^"]*)" download>CSV/g)].map(([, href = '']) =>
    href.replaceAll('&amp;', '&'),
  );
  expect(hrefs).toHaveLength(5);
  const heads = new Set<string>();
  for (const href of new Set(hrefs)) {
    const file = await browser.open(href);
    const lines = file.text.trim().split('\r\n');
    expect([file.status, lines.length]).toEqual([200, 31]);
    heads.add(lines[0] ?? '');
  }
  expect([...heads]).toEqual(['day,validations,denials,heartbeats', 'day,calls,failed,p50,p95,p99']);
});

it('says what is to do and leads to the list of it', async () => {
  const soon = new Date(Date.parse(app.ctx.now()) + 5 * 86_400_000).toISOString();
  const { id } = await mintedLicense(app.ctx);
  expect((await browser.open('/admin/')).text).not.toContain('within 30 days');
  await app.instance.database.transaction(async (db) => {
    await db.knex('licenses').where({ id }).update({ valid_until: soon });
  });
  const { text } = await browser.open('/admin/');
  const [, href = '', words] = /<li><a href="([^"]*)">(1 license expires[^<]*)<\/a>/.exec(text) ?? [];
  expect(words).toBe('1 license expires within 30 days');
  expect(rowsOf((await browser.open(href.replaceAll('&amp;', '&'))).text)).toHaveLength(1);
});

it('shows everybody their part, and nobody else anything', async () => {
  const system = await member(app, ['system:read']);
  const part = await system.browser.open('/admin/');
  expect([part.status, part.text.includes('<svg role="img"')]).toEqual([200, false]);
  expect((await system.browser.open('/admin/reports')).status).toBe(403);
  const none = await member(app, ['audit:read']);
  expect((await none.browser.open('/admin/')).status).toBe(403);
});

it('counts nothing of another tenant', async () => {
  const { id: productId } = (await mintedLicense(app.ctx)).product;
  await asked(productId, dayOf(3), 7777);
  const other = await tenants.create(app.ctx, { slug: 'home-other', name: 'Other' });
  const own = await member(app, undefined, other.id);
  const { text } = await own.browser.open('/admin/?days=7');
  expect(tile(text, 'Validations')).toBe('Validations none, as the 7 days before 0');
  expect(text).not.toContain('7,777');
});

const REPORTS = ['renewal-cohorts', 'churn', 'version-adoption', 'denied-seats', 'webhook-reliability'];

it('lists the reports, and each has its range, its product and its file', async () => {
  const { text } = await browser.open('/admin/reports');
  const links = [...text.matchAll(/<dt><a href="\/admin\/reports\/([^"]*)"/g)].map(([, name]) => name);
  expect(links).toEqual(REPORTS);
  const { id: productId } = (await mintedLicense(app.ctx)).product;
  const { slug } = await products.get(app.ctx, productId);
  for (const name of REPORTS) {
    const one = await browser.open(`/admin/reports/${name}?from=2026-01-01&to=2026-01-31&product=${slug}`);
    expect([name, one.status]).toEqual([name, 200]);
    expect(one.text).toContain(`<option value="${slug}" selected>`);
  }
  const churn = await browser.open(`/admin/reports/churn?from=${dayOf(40)}&to=${dayOf(0)}`);
  const href = /<a href="([^"]*)" download>Export CSV/.exec(churn.text)?.[1]?.replaceAll('&amp;', '&');
  const file = await browser.open(href ?? '');
  expect([file.status, file.text.split('\r\n')[0]]).toEqual([
    200,
    'month,atStart,created,expired,revoked,churnPercent',
  ]);
  expect(rowsOf(churn.text).length).toBeGreaterThan(0);
  expect(churn.text).toContain('<svg role="img"');
});

it('zooms into a month and out to two years, and keeps the product', async () => {
  const { id: productId } = (await mintedLicense(app.ctx)).product;
  const { slug } = await products.get(app.ctx, productId);
  const { text } = await browser.open(`/admin/reports/churn?from=2024-01-01&to=2024-12-31&product=${slug}`);
  const [, month = ''] = /<td><a href="([^"]*)">2024-02<\/a>/.exec(text) ?? [];
  expect(month.replaceAll('&amp;', '&')).toBe(
    `/admin/reports/churn?from=2024-02-01&to=2024-02-29&product=${slug}`,
  );
  expect(rowsOf((await browser.open(month.replaceAll('&amp;', '&'))).text)).toHaveLength(1);
  const ranges = /<nav class="tabs" aria-label="Range">[\s\S]*?<\/nav>/.exec(text)?.[0] ?? '';
  const hrefs = [...ranges.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'));
  expect(hrefs).toHaveLength(4);
  for (const href of hrefs) {
    const one = await browser.open(href);
    expect([one.status, one.text.match(/aria-label="Range"[\s\S]*?aria-current="true"/) !== null]).toEqual([
      200,
      true,
    ]);
    expect(one.text).toContain(`<option value="${slug}" selected>`);
  }
});

it('says what is wrong with a range beside the report, and knows no other report', async () => {
  for (const [query, said] of [
    ['from=yesterday', '"yesterday" is not a day like 2026-01-31'],
    ['from=2026-02-30', '"2026-02-30" is not a day'],
    ['from=2026-01-01&to=2026-02-30', '"2026-02-30" is not a day'],
    ['to=9999-12-31T23:59:59Z', '"9999-12-31T23:59:59Z" is not a day'],
    ['from=0001-01-01&to=9999-12-31', 'could not be created'],
    ['from=2026-02-01&to=2026-01-01', 'must be before the end'],
    ['from=2020-01-01&to=2026-01-01', 'at most 731 days'],
    ['product=%3Cscript%3E', 'could not be created'],
  ] as const) {
    const { status, text } = await browser.open(`/admin/reports/churn?${query}`);
    expect([query, status]).toEqual([query, 400]);
    expect(textOf(text)).toContain(said);
    expect(text).not.toContain('<script>');
  }
  for (const name of ['nothing', 'constructor', '__proto__'])
    expect((await browser.open(`/admin/reports/${name}`)).status).toBe(404);
});

it('escapes what was stored', async () => {
  const { id } = (await mintedLicense(app.ctx)).product;
  const evil = '</title><script>alert(1)</script>\u202e"';
  await products.update(app.ctx, id, { name: evil });
  const { text } = await browser.open('/admin/reports/churn');
  expect(text).toContain('&lt;/title&gt;&lt;script&gt;alert(1)');
  expect(text).not.toContain('<script>alert');
});
