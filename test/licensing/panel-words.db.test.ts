// Forms of the panel about licenses, policies, releases and API keys: in words of their labels, with the cure at the field.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fieldsOf, member, textOf } from '../platform/panel/staff.ts';
import { startApp, type TestApp } from '../support/app.ts';
import type { Browser } from '../support/browser.ts';
import { nothing } from '../support/database-changes.ts';

let app: TestApp;
let browser: Browser;
beforeAll(async () => {
  app = await startApp();
  ({ browser } = await member(app));
});
afterAll(() => app.close());

const sent = async (path: string, values: Readonly<Record<string, string>>) => {
  const form = { ...fieldsOf((await browser.open(path)).text), ...values };
  const { result, changes } = await app.changesBy(() => browser.post(path, form));
  return { status: result.status, changes, text: textOf(result.text) };
};

it('a form names other fields by their labels, and its own field once', async () => {
  const { id } = await app.license();
  const path = `/admin/licenses/${id}/renew`;
  const none = await sent(path, {});
  expect([none.status, none.changes]).toEqual([400, nothing]);
  expect(none.text).toContain('Either "Valid until" or "Days to add" is needed');
  const past = await sent(path, { validUntil: '2020-01-31T00:00' });
  expect([past.status, past.changes]).toEqual([400, nothing]);
  expect(past.text).toContain('Valid until must be in the future');
  expect(past.text).not.toContain('validUntil');
});

it('a name that is empty is called empty', async () => {
  const { status, text } = await sent('/admin/policies/new', { name: '' });
  expect(status).toBe(400);
  expect(text).toContain('Name must not be empty');
});

it('a limit that is no object shows one', async () => {
  for (const [limits, example] of [
    ['20', 'Must be an object such as {"write": {"max": 60, "windowSeconds": 900}}'],
    ['{"write": 20}', 'Must be an object such as {"max": 60, "windowSeconds": 900}'],
  ] as const) {
    const { status, changes, text } = await sent('/admin/api-keys/new', { name: 'app', limits });
    expect([status, changes]).toEqual([400, nothing]);
    expect(text).toContain(example);
  }
});

it('an invitation says until when it can be used in words; its password is not legible while it is typed', async () => {
  const { text: form } = await browser.open('/admin/users/new');
  expect(form).toMatch(
    /<input id="field-password" name="password" type="password" value=""[^>]*new-password/,
  );
  const { status, text } = await sent('/admin/users/new', { email: 'sue@x.test', roles: 'support' });
  expect(status).toBe(200);
  expect(text).toMatch(/Valid until \d{4}-\d\d-\d\d \d\d:\d\d UTC/);
});

it.each([
  ['/admin/releases/new', ['Oldest version that can update to it', 'Offered to (%)', 'Processor']],
  ['/admin/policies/new', ['Features as JSON, such as {"export": true, "projects": 10}.']],
  ['/admin/api-keys/new', ['VALIDATE_ONLY is for applications.', '"windowSeconds": 900']],
])('%s says what its fields take', async (path, words) => {
  const { id } = await app.product();
  const { text } = await browser.open(path);
  for (const one of words) expect(textOf(text)).toContain(one);
  expect(text).not.toContain('Min from version');
  expect(text).toContain(`value="${id}"`);
});
