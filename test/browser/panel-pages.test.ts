// Every page of the panel in a real Chromium: nothing that people with disabilities would stumble over, nothing beyond the
// edge of a small window, no fault of a script, no breach of the content policy, and no more bytes than allowed.
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as accounts from '#platform/accounts/index.ts';
import type { Screen } from '#platform/admin/index.ts';
import { samples } from '../contract/staff/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { type Chromium, openChromium } from '../support/chromium.ts';
import { filled, type Made } from '../support/resource-sample.ts';
import { LOOPBACK_PINS } from '../support/webhooks.ts';
import { assetBytes, linksOf, signedIn, stands } from './page-faults.ts';

const owner = { email: 'ann@x.test', name: 'Ann', password: 'correct horse battery' };
const KIB = 1024;

let app: TestApp;
let chromium: Chromium;
let window: Awaited<ReturnType<typeof signedIn>>;
beforeAll(async () => {
  app = await startApp({ pins: LOOPBACK_PINS });
  await accounts.createOwner(app.ctx, owner);
  chromium = await openChromium();
  window = await signedIn(chromium, app.url, owner);
}, 60_000);
afterAll(async () => {
  await chromium.close();
  await app.close();
});

const screened = samples.flatMap((sample) => {
  const { spec, name } = sample.resource as unknown as {
    spec: { screen?: Screen; apis: Api[] };
    name: string;
  };
  const twin = spec.apis.find(({ surface }) => surface === 'license-admin');
  return spec.screen && twin ? [{ name, sample, twin, screen: spec.screen }] : [];
});
type Api = { surface: string; key?: string; path: string; without?: readonly string[] };

const place = (path: string, made: Made): string => filled(path, made);
const standsRight = (path: string): Promise<void> => stands(window, app.url, path, { mostBytes: 25 * KIB });

it.each(['/admin/', '/admin/search?q=a', '/admin/profile', '/admin/profile/preferences', '/api-docs.html'])(
  '%s',
  standsRight,
);

it.each(screened)('$name: its list, an item and its forms', async ({ sample, twin, screen }) => {
  const made = await sample.make(app.ctx, `GET ${twin.path}`);
  const list = place(screen.path, made);
  await standsRight(list);
  // What the list leads to: the first item, and what the pages offer.
  const forms = (await linksOf(window, 'main a[href^="/admin/"]')).filter((href) => href === `${list}/new`);
  const [item] = twin.without?.includes('get') ? [] : await linksOf(window, '.rows tbody a');
  for (const path of [...forms, ...(item ? [item] : [])]) await standsRight(path);
  if (!item) return;
  const offered = await linksOf(window, '.head a[href]');
  for (const path of offered.filter((href) => href.startsWith(`${item}/`)).slice(0, 3))
    await standsRight(path);
});

it('loads no more styles and scripts than allowed', async () => {
  await window.page.goto(`${app.url}/admin/licenses`);
  const { styles, scripts } = await assetBytes(window, app.url);
  expect(styles).toBeLessThan(12 * KIB);
  expect(scripts).toBeLessThan(25 * KIB);
});
