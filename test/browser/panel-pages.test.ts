// Every page of the panel in a real Chromium: nothing that people with disabilities would stumble over, nothing beyond the
// edge of a small window, no fault of a script, no breach of the content policy, and no more bytes than allowed.
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as accounts from '#platform/accounts/index.ts';
import type { Screen } from '#platform/admin/index.ts';
import { samples } from '../contract/staff/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { accessFaults, type Chromium, openChromium, overflow } from '../support/chromium.ts';
import { filled, type Made } from '../support/resource-sample.ts';
import { LOOPBACK_PINS } from '../support/webhooks.ts';

const owner = { email: 'ann@x.test', name: 'Ann', password: 'correct horse battery' };
const KIB = 1024;

let app: TestApp;
let chromium: Chromium;
beforeAll(async () => {
  app = await startApp({ pins: LOOPBACK_PINS });
  await accounts.createOwner(app.ctx, owner);
  chromium = await openChromium();
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
const looks = [
  { width: 1280, scheme: 'light' },
  { width: 360, scheme: 'dark' },
] as const;

describe.each(looks)('$width px, $scheme', (look) => {
  let window: Awaited<ReturnType<Chromium['look']>>;
  beforeAll(async () => {
    window = await chromium.look(look);
    const { page } = window;
    await page.goto(`${app.url}/admin/login`);
    await page.fill('[name=email]', owner.email);
    await page.fill('[name=password]', owner.password);
    await page.click('main button[type=submit]');
    await page.waitForURL(/admin\/$/);
  }, 60_000);

  /** Opens a page and tells what is wrong with it. */
  async function faultsOf(path: string): Promise<object> {
    const { page, faults } = window;
    faults.length = 0;
    const answer = await page.goto(app.url + path);
    const html = (await answer?.body()) ?? Buffer.from('');
    return {
      path,
      status: answer?.status(),
      access: await accessFaults(page),
      overflow: Math.max(0, await overflow(page)),
      isTooLarge: gzipSync(html).length > 25 * KIB,
      faults: [...faults],
    };
  }
  const right = { status: 200, access: [], overflow: 0, isTooLarge: false, faults: [] };

  it.each(['/admin/', '/admin/search?q=a', '/admin/profile', '/admin/profile/preferences'])(
    '%s',
    async (path) => {
      expect(await faultsOf(path)).toEqual({ path, ...right });
    },
  );

  it.each(screened)('$name: its list, an item and its forms', async ({ sample, twin, screen }) => {
    const made = await sample.make(app.ctx, `GET ${twin.path}`);
    const list = place(screen.path, made);
    expect(await faultsOf(list)).toEqual({ path: list, ...right });
    // What the list leads to: the first item, and what the pages offer.
    const { page } = window;
    const links: string[] = await page.$$eval('main a[href^="/admin/"]', (all) =>
      all.map((one) => one.getAttribute('href') ?? ''),
    );
    const forms = links.filter((href) => href === `${list}/new`);
    const item = twin.without?.includes('get')
      ? undefined
      : await page.$eval('.rows tbody a', (link) => link.getAttribute('href')).catch(() => undefined);
    for (const path of [...forms, ...(item ? [item] : [])])
      expect(await faultsOf(path)).toEqual({ path, ...right });
    if (!item) return;
    const offered: string[] = await page.$$eval('.head a[href]', (all) =>
      all.map((one) => one.getAttribute('href') ?? ''),
    );
    for (const path of offered.filter((href) => href.startsWith(`${item}/`)).slice(0, 3))
      expect(await faultsOf(path)).toEqual({ path, ...right });
  });

  it('loads no more styles and scripts than allowed', async () => {
    const { page } = window;
    await page.goto(`${app.url}/admin/licenses`);
    const addresses = (selector: string, name: string): Promise<string[]> =>
      page.$$eval(selector, (all, name) => all.map((one) => one.getAttribute(name) ?? ''), name);
    const bytes = async (all: string[]): Promise<number> => {
      const bodies = await Promise.all(all.map((one) => app.send(one)));
      return bodies.reduce((sum, { text }) => sum + gzipSync(text).length, 0);
    };
    expect(await bytes(await addresses('link[rel=stylesheet]', 'href'))).toBeLessThan(12 * KIB);
    expect(await bytes(await addresses('script[src]', 'src'))).toBeLessThan(25 * KIB);
  });
});
