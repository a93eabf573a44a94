// What attackers write into every field that is stored, on every page that shows it: it stays text.
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as policies from '#licensing/catalog/policies/index.ts';
import * as products from '#licensing/catalog/products/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import * as machines from '#licensing/licenses/machines/index.ts';
import * as integrations from '#licensing/purchases/integrations/index.ts';
import * as releases from '#licensing/releases/releases/index.ts';
import * as accounts from '#platform/accounts/index.ts';
import * as adminTokens from '#platform/admin-tokens/index.ts';
import * as roles from '#platform/roles/index.ts';
import * as tenants from '#platform/tenants/index.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import type { Browser } from '../../support/browser.ts';
import { insertWebhook, LOOPBACK_PINS } from '../../support/webhooks.ts';
import { crawl } from './crawl.ts';
import { fileFaults, policyFaults } from './policy.ts';
import { member } from './staff.ts';

/** Script, attributes, an override of direction, a bell; each begins what a page could take for its own. */
const HOSTILE =
  '<script>alert(1)</script><img src=x onerror=alert(2)> "\'><!-- \u202egnp.exe {{7*7}} <%= 1 %>';
const SHOWN = '&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=alert(2)&gt;';

let app: TestApp;
let browser: Browser;
beforeAll(async () => {
  app = await startApp({ pins: LOOPBACK_PINS });
  ({ browser } = await member(app));
  const { ctx } = app;
  const product = await products.create(ctx, {
    name: HOSTILE,
    slug: 'hostile',
    metadata: { [HOSTILE.slice(0, 30)]: HOSTILE },
  });
  const license = await app.license({
    productId: product.id,
    customerEmail: 'x@x.test',
    customerName: HOSTILE,
    orderId: HOSTILE.slice(0, 100),
    notes: HOSTILE,
    metadata: { note: HOSTILE },
  });
  await machines.activate(ctx, { licenseKey: license.key, machineId: 'machine-0001', machineName: HOSTILE });
  await policies.create(ctx, { name: HOSTILE.slice(0, 100) });
  await integrations.create(ctx, {
    name: HOSTILE.slice(0, 100),
    processor: 'GENERIC',
    signingSecret: 'a secret of the processor',
  });
  await accounts.create(ctx, {
    email: 'evil@x.test',
    name: HOSTILE,
    roles: ['viewer'],
    password: 'correct horse',
  });
  await adminTokens.create(ctx, { name: HOSTILE.slice(0, 100), role: 'viewer' });
  const key = await app.apiKey('VALIDATE_ONLY', { name: HOSTILE.slice(0, 100) });
  await roles.create(ctx, { name: 'evil', permissions: [] });
  await insertWebhook(ctx, { url: 'https://hooks.test/evil' });
  await releases.create(ctx, { productId: product.id, version: '1.0.0', changelog: HOSTILE });
  await licenses.suspend(ctx, license.id, { reason: 'ADMIN', note: HOSTILE.slice(0, 100) });
  await app.send('/api/v1/license/validate', {
    method: 'POST',
    body: { licenseKey: HOSTILE, machineId: HOSTILE },
    headers: { 'User-Agent': HOSTILE.replace('\u202e', ''), 'X-API-Key': key.secret },
  });
  await tenants.create(ctx, { slug: 'evil', name: HOSTILE.slice(0, 100) });
});
afterAll(() => app.close());

/** No page may hold a tag of theirs, nor one of ours that they have closed. */
const breaches = (html: string): string[] =>
  [/<script>alert/, /<img src=x/, /onerror=alert\(2\)>/, /"'><!--/, /<%= 1 %>/].flatMap((breach) =>
    breach.test(html) ? [String(breach)] : [],
  );

const lists = [
  'products',
  'licenses',
  'customers',
  'machines',
  'policies',
  'integrations',
  'users',
  'tokens',
  'api-keys',
  'tenants',
  'events',
  'audit-log',
].map((name) => `/admin/${name}`);

it.each(lists)('%s, its first item and the form of it', async (list) => {
  const { text, status } = await browser.open(list);
  expect([status, breaches(text)]).toEqual([200, []]);
  const [, item] = /<tbody>[\s\S]*?<a href="([^"]+)"/.exec(text) ?? [];
  if (item === undefined) return;
  const shown = await browser.open(item);
  expect([item, shown.status, breaches(shown.text)]).toEqual([item, 200, []]);
  const form = await browser.open(`${item}/edit`);
  expect([form.status === 200 || form.status === 404, breaches(form.text)]).toEqual([true, []]);
});

it('is shown as it was written, where it is shown', async () => {
  for (const path of ['/admin/products', '/admin/policies', '/admin/users', '/admin/tenants?columns=name'])
    expect([path, (await browser.open(path)).text.includes(SHOWN)]).toEqual([path, true]);
});

it('is nothing but text in searches, filters and addresses', async () => {
  const text = encodeURIComponent(HOSTILE);
  const paths = [
    `/admin/search?q=${text}`,
    `/admin/licenses?q=${text}`,
    `/admin/licenses?status=${text}`,
    `/admin/licenses?sort=${text}`,
    `/admin/licenses?columns=${text}&page=2`,
    `/admin/products?done=${text}`,
    `/admin/licenses/${encodeURIComponent(HOSTILE.slice(0, 60))}`,
    `/admin/profile/preferences?done=${text}`,
  ];
  for (const path of paths) {
    const { status, text: html } = await browser.open(path);
    expect([path, status < 500, breaches(html)]).toEqual([path, true, []]);
  }
});

it('every page, tab, form, chart and file that the panel leads to shows it as text, under a policy without inline scripts', async () => {
  const answers = await crawl(browser, ['/admin/', `/admin/search?q=${encodeURIComponent('<script>')}`]);
  const wrong = [...answers].flatMap(([href, { status, text, headers }]) => {
    const isPage = /^text\/html/.test(headers['content-type'] ?? '');
    const isLed = status === 303 && !/^\/admin\/(?:login|sudo)/.test(headers.location ?? '');
    const faults = [
      ...(status === 200 || isLed ? [] : [`answers ${status}`]),
      ...(isPage ? [...breaches(text), ...policyFaults(headers)] : fileFaults(headers)),
    ];
    return faults.length > 0 ? [[href, ...faults]] : [];
  });
  expect(wrong).toEqual([]);
  const kinds = [...answers.keys()];
  // It went where the panel leads: lists, items, tabs, forms, questions, files.
  for (const kind of [
    /\?tab=/,
    /\/new$/,
    /\/edit$/,
    /\/revoke$/,
    /\/remove$/,
    /\/export\?/,
    /\/admin\/reports/,
  ])
    expect([String(kind), kinds.some((href) => kind.test(href))]).toEqual([String(kind), true]);
}, 60_000);
