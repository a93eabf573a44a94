// Members of staff with a browser of their own, for tests of the panel.

import * as accounts from '#platform/accounts/index.ts';
import { PERMISSIONS, type Permission } from '#platform/permissions/index.ts';
import * as roles from '#platform/roles/index.ts';
import type { TestApp } from '../../support/app.ts';
import { type Browser, openBrowser } from '../../support/browser.ts';

const password = 'correct horse';
let made = 0;

/**
 * Somebody who signed in with a browser.
 *
 * @param permissions all that there are when absent
 * @param tenantId the tenant that they are confined to; undefined for the whole installation
 */
export async function member(
  app: TestApp,
  permissions: readonly Permission[] = PERMISSIONS,
  tenantId?: string,
): Promise<{ id: string; email: string; browser: Browser }> {
  made += 1;
  const email = `member${made}@x.test`;
  const role = `role-${made}`;
  // Sign-ins of one address are counted.
  app.clock.advance(60);
  await roles.create(app.ctx, { name: role, permissions: [...permissions] });
  const { id } = await accounts.create(app.ctx, { email, name: `Member ${made}`, roles: [role], password });
  if (tenantId !== undefined) await accounts.setScopes(app.ctx, id, { tenant: [tenantId] });
  const browser = openBrowser(app.send);
  const { status } = await browser.submit('/admin/login', { email, password });
  if (status !== 303) throw new Error(`${email} could not sign in: ${status}`);
  return { id, email, browser };
}

/** The text of the one heading of a page. */
export const headingOf = (html: string): string => textOf(/<h1>([\s\S]*?)<\/h1>/.exec(html)?.[1] ?? '');

/** Without tags, and with what was escaped. */
export const textOf = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&#34;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
    .trim();

/** Rows of the first list of a page, each as the texts of its cells. */
export function rowsOf(html: string): string[][] {
  const body = /<table class="rows">[\s\S]*?<tbody>([\s\S]*?)<\/tbody>/.exec(html)?.[1] ?? '';
  return [...body.matchAll(/<tr>([\s\S]*?)<\/tr>/g)].map(([, row = '']) =>
    [...row.matchAll(/<td[^>]*>([\s\S]*?)<\/td>/g)].map(([, cell = '']) => textOf(cell)),
  );
}

/** What a list says that it has; null where it does not count. */
export const totalOf = (html: string): number | null => {
  const said = / of ([\d,]+)</.exec(html)?.[1];
  return said === undefined ? null : Number(said.replaceAll(',', ''));
};

/** The values of all fields of the form of a page that has one of its own. */
export const fieldsOf = (html: string): Record<string, string> => Object.fromEntries(entriesOf(html));

/** The same as a browser sends them: a name may come several times. */
export function entriesOf(html: string): [string, string][] {
  const form = /<form class="stack"[\s\S]*?<\/form>/.exec(html)?.[0] ?? '';
  const inputs = [...form.matchAll(/<input([^>]*)>/g)].flatMap(([, tag = '']) => {
    if (/type="checkbox"/.test(tag) && !/ checked/.test(tag)) return [];
    return [[/name="([^"]*)"/.exec(tag)?.[1] ?? '', /value="([^"]*)"/.exec(tag)?.[1] ?? '']];
  });
  const areas = [...form.matchAll(/<textarea[^>]*name="([^"]*)"[^>]*>\n([\s\S]*?)<\/textarea>/g)].map(
    ([, name = '', text = '']) => [name, text],
  );
  const selects = [...form.matchAll(/<select[^>]*name="([^"]*)"[\s\S]*?<\/select>/g)].map(
    ([whole, name = '']) => [
      name,
      /<option value="([^"]*)" selected/.exec(whole)?.[1] ?? /<option value="([^"]*)"/.exec(whole)?.[1] ?? '',
    ],
  );
  return [...inputs, ...areas, ...selects].map(([name = '', value = '']) => [name, textOf(value)]);
}
