// What the navigation of the panel offers: lists and pages of their own together, in one order, by permission.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Permission } from '#platform/permissions/index.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { member, textOf } from './staff.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

/** Labels of the navigation by the headings of its areas; the first has none. */
function navigationOf(html: string): Record<string, string[]> {
  const side = /<nav class="side"[\s\S]*?<\/nav>/.exec(html)?.[0] ?? '';
  const parts = side.split('<h2>').map((part) => part.split('</h2>'));
  return Object.fromEntries(
    parts.map((part) => [
      part.length === 2 ? textOf(part[0] as string) : '',
      [...(part.at(-1) as string).matchAll(/<a [^>]*>(.*?)<\/a>/g)].map(([, label = '']) => textOf(label)),
    ]),
  );
}
const navigationFor = async (permissions?: readonly Permission[]) => {
  const { browser } = await member(app, permissions);
  return navigationOf((await browser.open('/admin/profile/preferences')).text);
};

it('begins with home and has one order in each area', async () => {
  const { '': first, Licensing, Insights, System } = await navigationFor();
  expect(first).toEqual(['Home']);
  expect(Licensing).toEqual([
    'Licenses',
    'Customers',
    'Machines',
    'Floating seats',
    'Usage',
    'Products',
    'Policies',
    'Key formats',
    'Releases',
    'Signing keys',
    'Webhooks',
    'Deliveries',
    'Integrations',
    'API keys',
  ]);
  const inOrder = (all: readonly string[], some: readonly string[] = []) =>
    expect(some.filter((one) => all.includes(one))).toEqual(all.filter((one) => some.includes(one)));
  inOrder(['Reports', 'Events', 'Recorded requests', 'Abuse', 'Canary keys (honeypots)'], Insights);
  inOrder(
    ['System', 'Settings', 'Staff', 'Roles', 'Admin tokens', 'Audit log', 'Jobs', 'Tasks', 'Tenants'],
    System,
  );
});

it('shows nobody a page that they may not open', async () => {
  const { Licensing, System } = await navigationFor(['audit:read']);
  expect(Licensing).toBeUndefined();
  expect(System).toEqual(['Audit log', 'Tasks']);
});

it('marks the deepest place of an address as the current one, and no other', async () => {
  const { browser } = await member(app);
  for (const [path, label] of [
    ['/admin/', 'Home'],
    ['/admin/system/jobs', 'Jobs'],
    ['/admin/products/new', 'Products'],
  ] as const) {
    const marked = [...(await browser.open(path)).text.matchAll(/aria-current="page">(.*?)<\/a>/g)];
    expect(marked.map(([, text]) => text)).toEqual([label]);
  }
});

it('calls a list by the same name in the navigation, as a heading and in the link back', async () => {
  const { browser } = await member(app);
  for (const [path, name] of [
    ['/admin/users', 'Staff'],
    ['/admin/machines', 'Machines'],
    ['/admin/audit-log', 'Audit log'],
  ] as const) {
    const list = (await browser.open(path)).text;
    expect(/<h1[^>]*>(.*?)<\/h1>/s.exec(list)?.[1]).toBe(name);
    expect(
      textOf(/<p class="up">.*?<\/p>/s.exec((await browser.open(`${path}/views`)).text)?.[0] ?? ''),
    ).toBe(name);
  }
});
