// How often an address may try to sign in: the JSON of the store, that of the admin API and the pages count together, also
// where the shop's own limits are switched off (S29, M13).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createOwner } from '#platform/accounts/index.ts';
import * as settings from '#platform/settings/index.ts';
import { storeLimitsEnabled } from '#storefront/contract/limits.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { openBrowser } from '../support/browser.ts';
import { openPanel } from '../support/panel.ts';
import { openStorePanel } from '../support/store-panel.ts';

const right = { email: 'ops@x.test', password: 'correct horse' };
const wrong = { ...right, password: 'wrong' };

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ limits: 'on', proxyTrust: '127.0.0.1' });
  await createOwner(app.ctx, { ...right, name: 'Ops' });
});
afterAll(() => app.close());

it('the eleventh try is refused, wherever the ten before it were', async () => {
  await settings.set(app.ctx, { key: storeLimitsEnabled.key, value: false });
  for (let n = 0; n < 4; n++) expect((await openStorePanel(app).signIn(wrong)).status).toBe(401);
  for (let n = 0; n < 3; n++) expect((await openPanel(app).signIn(wrong)).status).toBe(401);
  for (let n = 0; n < 3; n++)
    expect((await openBrowser(app.send).submit('/store/login', { ...wrong, email: 'x@x.test' })).status).toBe(
      400,
    );
  const { status, body, headers } = await openStorePanel(app).signIn(right);
  expect([status, body.error_code]).toEqual([429, 'RATE_LIMITED']);
  expect(headers).toMatchObject({ 'ratelimit-limit': '10', 'ratelimit-remaining': '0' });
  expect(Number(headers['retry-after'])).toBeGreaterThan(0);
});

it('forgotten passwords: five in ten minutes, with the pages', async () => {
  const ask = () => app.send('/api/store/auth/forgot-password', { body: { email: right.email } });
  for (let n = 0; n < 3; n++) expect((await ask()).status).toBe(200);
  for (let n = 0; n < 2; n++)
    await openBrowser(app.send).submit('/admin/forgot-password', { email: 'x@x.test' });
  expect((await ask()).status).toBe(429);
});
