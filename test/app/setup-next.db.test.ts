// The second step of the setup in a browser stays open to whoever makes products: it opens no way around what keys ask for.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { member } from '../platform/panel/staff.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { nothing } from '../support/database-changes.ts';

const PATH = '/admin/setup/next';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

it('a signing key is for who may make keys, and asks for the password again', async () => {
  const { browser } = await member(app, ['licensing:write']);
  expect((await browser.open(PATH)).text).not.toContain('signingKey');
  const sent = { name: 'Editor', slug: 'editor', signingKey: 'true' };
  const refused = await app.changesBy(() => browser.submit(PATH, sent));
  expect([refused.result.status, refused.changes]).toEqual([403, nothing]);

  const keeper = await member(app, ['licensing:write', 'licensing:secrets']);
  expect((await keeper.browser.open(PATH)).text).toContain('signingKey');
  app.clock.advance(3600);
  const asked = await app.changesBy(() => keeper.browser.submit(PATH, sent));
  expect([asked.result.status, asked.result.headers.location]).toEqual([
    303,
    `/admin/sudo?next=${encodeURIComponent(PATH)}`,
  ]);
  expect([asked.changes.rows.license_products, asked.changes.rows.signing_keys]).toEqual([
    undefined,
    undefined,
  ]);
  await keeper.browser.submit(`/admin/sudo?next=${encodeURIComponent(PATH)}`, { password: 'correct horse' });
  const made = await app.changesBy(() => keeper.browser.submit(PATH, sent));
  expect([made.result.status, made.changes.rows.license_products]).toEqual([303, '+1']);
  expect((await browser.submit(PATH, { name: 'Other', slug: 'other' })).status).toBe(303);
});
