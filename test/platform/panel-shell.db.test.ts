// What stands around every page of the panel beside its navigation: what waits for whoever looks, and the manual.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { gather } from '#kernel/gather.ts';
import { licenseWebhooks } from '#licensing/insight/webhooks/index.ts';
import type { Resource, Screen } from '#platform/admin/index.ts';
import { allTopics } from '#platform/help/index.ts';
import { PANEL } from '#platform/panel/index.ts';
import { PERMISSIONS } from '#platform/permissions/index.ts';
import * as tenants from '#platform/tenants/index.ts';
import * as webhooks from '#platform/webhooks/index.ts';
import { capabilities } from '../../src/app/capabilities.ts';
import { mintedLicense } from '../contract/staff/minted.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { member, textOf } from './panel/staff.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const PAGE = '/admin/profile/preferences';
/** What the bar says that there is to do, with where it leads. */
const waitingOn = (html: string) => {
  const list = /<details class="more waiting">[\s\S]*?<\/details>/.exec(html)?.[0] ?? '';
  const count = /<span class="badge warn">(\d+)</.exec(list)?.[1];
  const links = [...list.matchAll(/<a href="([^"]*)">([\s\S]*?)<\/a>/g)];
  return { count: Number(count ?? 0), all: links.map(([, href = '', words = '']) => [textOf(words), href]) };
};

async function disabledWebhook(ctx = app.ctx) {
  const url = 'https://hooks.example.com/shell';
  await webhooks.create(ctx, licenseWebhooks, { url, enabled: false });
}

it('says on every page what waits, and leads to it', async () => {
  const { browser } = await member(app);
  expect(waitingOn((await browser.open(PAGE)).text)).toEqual({ count: 0, all: [] });
  await disabledWebhook();
  const soon = new Date(Date.parse(app.ctx.now()) + 5 * 86_400_000).toISOString();
  const { id } = await mintedLicense(app.ctx);
  await app.instance.database.transaction(async (db) => {
    await db.knex('licenses').where({ id }).update({ valid_until: soon });
  });
  app.clock.advance(11);
  const { count, all } = waitingOn((await browser.open(PAGE)).text);
  expect(all).toEqual([
    ['1 license expires within 30 days', '/admin/licenses?status=ACTIVE&amp;expiring=30d'],
    ['1 webhook is disabled', '/admin/webhooks?enabled=false'],
  ]);
  expect(count).toBe(2);
  expect((await browser.open('/admin/webhooks?enabled=false')).status).toBe(200);
});

it('tells nobody what they may not see, at once when that changes', async () => {
  await disabledWebhook();
  const { id, browser } = await member(app);
  expect(waitingOn((await browser.open(PAGE)).text).count).toBeGreaterThan(0);
  const { browser: other } = await member(app, ['audit:read']);
  expect(waitingOn((await other.open(PAGE)).text).count).toBe(0);
  // The same person with less, within the seconds that an answer is kept.
  await app.instance.database.transaction(async (db) => {
    const [role] = await db.knex('admin_user_roles').where({ admin_user_id: id }).select('role_id');
    await db
      .knex('role_permissions')
      .where({ role_id: role.role_id })
      .whereNot({ permission: 'audit:read' })
      .delete();
  });
  const { text } = await browser.open(PAGE);
  expect(text).toContain('Appearance and shortcuts');
  expect(waitingOn(text).count).toBe(0);
});

it('tells of one tenant what is in that one alone', async () => {
  await disabledWebhook();
  const { id: tenantId } = await tenants.create(app.ctx, { slug: 'shell', name: 'Shell' });
  const { browser } = await member(app, PERMISSIONS, tenantId);
  expect(waitingOn((await browser.open(PAGE)).text).count).toBe(0);
  await disabledWebhook(app.ctx.with({ tenantId }));
  app.clock.advance(11);
  expect(waitingOn((await browser.open(PAGE)).text).all).toEqual([
    ['1 webhook is disabled', '/admin/webhooks?enabled=false'],
  ]);
});

const inThePanel = gather(capabilities).pages.filter(({ layout }) => layout === PANEL);

it('every screen and every page of the panel names a page of the manual that there is', () => {
  const topics = new Set(allTopics.map(({ topic }) => topic));
  const screens = gather(capabilities).resources.flatMap((one) => {
    const { screen } = (one as Resource).spec as unknown as { screen?: Screen };
    return screen ? [screen] : [];
  });
  expect(screens.length).toBeGreaterThan(25);
  const helpOf = (path: string) => inThePanel.find((one) => one.path === path)?.help;
  // A list that is a page of its own is judged with the other pages.
  const lists = screens.filter(({ hasOwnList }) => !hasOwnList);
  for (const { path, empty } of lists) expect([path, helpOf(path)]).toEqual([path, empty.docs]);
  const unknown = inThePanel.filter(({ help }) => help === undefined || !topics.has(help));
  expect(unknown.map(({ path, help }) => [path, help])).toEqual([]);
});

it('help leads to the page of the manual about what is shown, whole or beside it', async () => {
  const { browser } = await member(app, ['audit:read']);
  const { text } = await browser.open('/admin/audit-log');
  expect(text).toContain(
    '<a href="/help/audit-log" data-help hx-get="/help/audit-log" hx-target="#help-text">',
  );
  const whole = await browser.open('/help/audit-log');
  expect([whole.status, whole.text.startsWith('<!doctype html>')]).toEqual([200, true]);
  const part = await browser.open('/help/audit-log', { 'HX-Request': 'true', 'HX-Target': 'div#help-text' });
  expect([part.status, part.text.includes('<html')]).toEqual([200, false]);
  expect(part.text).toContain('<h1>Audit log</h1>');
  const contents = await browser.open('/help', { 'HX-Request': 'true', 'HX-Target': 'div#help-text' });
  expect([contents.status, contents.text.includes('<html')]).toEqual([200, false]);
});
