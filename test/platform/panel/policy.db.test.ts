// The content policy of pages that are no page of the panel: errors of every kind, and those before the sign-in.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { tokenIn } from '../../support/browser.ts';
import { policyFaults } from './policy.ts';
import { headingOf, member } from './staff.ts';

let app: TestApp;
let strict: TestApp;
beforeAll(async () => {
  app = await startApp();
  strict = await startApp({ limits: 'on' });
}, 60_000);
afterAll(async () => {
  await app.close();
  await strict.close();
});

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

it('a page that is not there, not for one, or too large in what was sent', async () => {
  const { browser } = await member(app, ['licensing:read', 'licensing:write']);
  const { text } = await browser.open('/admin/products/new');
  const large = { _csrf: tokenIn(text), name: 'x'.repeat(5_000_000) };
  const answers = {
    404: await browser.open('/admin/nothing'),
    403: await browser.open('/admin/users'),
    400: await browser.open('/admin/licenses?sort=nothing'),
    413: await browser.post('/admin/products/new', large),
  };
  for (const [status, { status: answered, headers }] of Object.entries(answers))
    expect([status, String(answered), policyFaults(headers)]).toEqual([status, status, []]);
});

it('the sign-in and what stands before it', async () => {
  for (const path of ['/admin/login', '/admin/forgot-password', '/store/login']) {
    const { status, headers } = await app.send(path);
    expect([path, status, policyFaults(headers)]).toEqual([path, 200, []]);
  }
});

it('a visitor who asks too often', async () => {
  const ask = () =>
    strict.send('/admin/login', { method: 'POST', headers: FORM, body: 'email=a&password=b' });
  let answer = await ask();
  for (let tries = 0; tries < 40 && answer.status !== 429; tries += 1) answer = await ask();
  expect([answer.status, policyFaults(answer.headers)]).toEqual([429, []]);
});

it('a fault of the server says nothing of itself', async () => {
  const { browser } = await member(app);
  const rename = (from: string, to: string) =>
    app.instance.database.transaction(({ knex }) => knex.schema.renameTable(from, to));
  await rename('license_products', 'license_products_gone');
  try {
    const { status, headers, text } = await browser.open('/admin/products');
    expect([status, policyFaults(headers), /license_products/.test(text)]).toEqual([500, [], false]);
    expect(headingOf(text)).not.toBe('');
  } finally {
    await rename('license_products_gone', 'license_products');
  }
});
