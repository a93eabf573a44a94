// The end of the setup in a browser: the first key, the first license, and the call that the page sees arrive.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { member, textOf } from '../platform/panel/staff.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { tokenIn } from '../support/browser.ts';
import { nothing } from '../support/database-changes.ts';

const PATH = '/admin/setup/first-license';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

it('leads to the first product as long as there is none', async () => {
  const { browser } = await member(app);
  expect((await browser.open(PATH)).headers.location).toBe('/admin/setup/next');
});

it('makes a key and a license, shows both once, and sees the first call arrive', async () => {
  await app.product({ name: 'Editor', slug: 'editor' });
  const { browser, email } = await member(app);
  expect((await browser.open(PATH)).text).toContain(`value="${email}"`);
  const bad = await app.changesBy(() => browser.submit(PATH, { customerEmail: 'nobody' }));
  expect([bad.result.status, bad.changes]).toEqual([400, nothing]);
  const { result, changes } = await app.changesBy(() =>
    browser.submit(PATH, { customerEmail: 'judy@x.test' }),
  );
  expect([result.status, changes.rows.api_keys, changes.rows.licenses]).toEqual([200, '+1', '+1']);
  const [apiKey = '', key = ''] = [...result.text.matchAll(/<code class="secret">([^<]+)</g)].map(
    ([, one]) => one,
  );
  expect(result.text).toContain(`${app.url}/api/v1/license/activate`);
  const [license = ''] = /lic_\w{26}/.exec(result.text) ?? [];
  const call = `${PATH}?license=${license}`;
  const waiting = await browser.open(call, { 'HX-Request': 'true', 'HX-Target': 'first-call' });
  expect(textOf(waiting.text)).toBe('Waiting for the first call. Look again');
  const body = { licenseKey: key, machineId: 'my-machine-1', machineName: 'My <machine>' };
  expect((await app.post('/api/v1/license/activate', body, apiKey)).status).toBe(200);
  const arrived = await browser.open(call);
  expect(textOf(arrived.text)).toContain('The call arrived: machine My <machine> is active.');
  expect(arrived.text).not.toContain(apiKey);
  expect(arrived.text).not.toContain(key);
});

it('is for who may hand out keys', async () => {
  const { browser } = await member(app, ['licensing:read', 'licensing:write']);
  expect((await browser.open(PATH)).status).toBe(403);
  // The right to keys is not the one to licenses.
  const keeper = await member(app, ['licensing:secrets']);
  expect((await keeper.browser.open(PATH)).status).toBe(403);
  const _csrf = tokenIn((await keeper.browser.open('/admin/profile')).text);
  const { result, changes } = await app.changesBy(() =>
    keeper.browser.post(PATH, { customerEmail: 'judy@x.test', _csrf }),
  );
  expect([result.status, changes]).toEqual([403, nothing]);
});
