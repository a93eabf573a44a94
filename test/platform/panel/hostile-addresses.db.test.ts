// Addresses that no page of the panel leads to: they are answered as what they are, and never as a failure of the server.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import type { Browser } from '../../support/browser.ts';
import { nothing } from '../../support/database-changes.ts';
import { fieldsOf, member } from './staff.ts';

let app: TestApp;
let browser: Browser;
beforeAll(async () => {
  app = await startApp();
  ({ browser } = await member(app));
});
afterAll(() => app.close());

const LISTS = ['webhooks', 'api-keys', 'licenses', 'products', 'policies', 'integrations', 'roles', 'users'];

it.each(LISTS)('the form of %s begins with what its address says, whatever that is', async (list) => {
  const address = `/admin/${list}/new`;
  const empty = fieldsOf((await browser.open(address)).text);
  const names = Object.keys(empty).filter((name) => !name.startsWith('_'));
  const hostile = new URLSearchParams(
    Object.fromEntries(names.map((name) => [name, '"><script>alert(1)</script>,__proto__'])),
  );
  const { status, text } = await browser.open(`${address}?${hostile}`);
  expect([status, names.length > 0, text.includes('<script>alert')]).toEqual([200, true, false]);
});

it('a list of choices stands between commas', async () => {
  const { text } = await browser.open(
    '/admin/webhooks/new?url=https%3A%2F%2Fa.test&events=LICENSE_CREATED,LICENSE_REVOKED',
  );
  expect(fieldsOf(text).url).toBe('https://a.test');
  const ticked = [...text.matchAll(/name="events" value="(\w+)"[^>]* checked/g)].map(([, one]) => one);
  expect(ticked.toSorted()).toEqual(['LICENSE_CREATED', 'LICENSE_REVOKED']);
});

it.each(['GET', 'HEAD', 'POST', 'OPTIONS'])('%s of * asks for no page', async (method) => {
  const lines = [`${method} * HTTP/1.1`, 'Host: x', 'Content-Length: 0', 'Connection: close'];
  const { result, changes } = await app.changesBy(() => app.raw(`${lines.join('\r\n')}\r\n\r\n`));
  expect([result.status, changes]).toEqual([404, nothing]);
});

it('no command is offered that a terminal would obey while it is pasted', async () => {
  const named = (name: string) =>
    browser.submit('/admin/products/new', { name, slug: 'pasted', _as: 'command' });
  expect((await named("it's; $(id)")).text).toMatch(/<code data-copy>appctl product create/);
  for (const name of ['x\u0003id\r', '\u001b[201~id', 'x\u009b2J'])
    expect((await named(name)).text).not.toContain('appctl product create --name');
});
