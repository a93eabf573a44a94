// Whether a page is one for everybody, as two visitors see it: in a wide window in light, and on a phone in the dark; and
// that nothing is beyond the edge for whoever zooms in.
import { gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { accessFaults, type Chromium, overflow } from '../support/chromium.ts';

type Window = Awaited<ReturnType<Chromium['look']>>;
type Page = Window['page'];

const looks = {
  'wide and light': { width: 1280, height: 850, scheme: 'light' },
  'narrow and dark': { width: 360, height: 740, scheme: 'dark' },
} as const;

/** What a page of 1280 px is at a zoom of 400 % (WCAG 1.4.10). */
const ZOOMED = { width: 320, height: 740 };

const right = { access: [], overflow: 0 };

/** A window whose visitor has signed in to the panel. @param url of the server */
export async function signedIn(
  chromium: Chromium,
  url: string,
  { email, password }: { email: string; password: string },
): Promise<Window> {
  const window = await chromium.look();
  const { page } = window;
  await page.goto(`${url}/admin/login`);
  await page.fill('[name=email]', email);
  await page.fill('[name=password]', password);
  await page.click('main button[type=submit]');
  await page.waitForURL(/admin\/$/);
  return window;
}

/** The addresses of the links that a selector finds in a page. */
export const linksOf = ({ page }: Window, selector: string): Promise<string[]> =>
  page.$$eval(selector, (all) => all.map((one) => one.getAttribute('href') ?? ''));

/** What a page should be. */
export interface Standing {
  /** Of the answer, 200 when absent. */
  readonly status?: number;
  /** Bytes that the page may have as gzip sends it. */
  readonly mostBytes: number;
}

/** That a page is missing the browser says itself, and that a connection which it opened ahead was used too late. */
const isOfTheBrowser = (fault: string, status: number): boolean =>
  (status === 200 ? /status of 408/ : /status of 4\d\d/).test(fault);

/** Opens a page and holds when nothing is wrong with it in either look. @param url of the server */
export async function stands(window: Window, url: string, path: string, standing: Standing): Promise<void> {
  const { page, faults } = window;
  const { status = 200, mostBytes } = standing;
  faults.length = 0;
  await look(page, 'wide and light');
  const answer = await page.goto(new URL(path, url).href);
  const html = (await answer?.body()) ?? Buffer.from('');
  const seen = await faultsIn(page, 'page');
  await look(page, 'narrow and dark');
  const narrow = await faultsIn(page, 'look');
  await page.setViewportSize(ZOOMED);
  expect({
    path,
    status: answer?.status(),
    isTooLarge: gzipSync(html).length > mostBytes,
    'wide and light': seen,
    'narrow and dark': narrow,
    'zoomed in': Math.max(0, await overflow(page)),
    faults: faults.filter((fault) => !isOfTheBrowser(fault, status)),
  }).toEqual({
    path,
    status,
    isTooLarge: false,
    'wide and light': right,
    'narrow and dark': right,
    'zoomed in': 0,
    faults: [],
  });
}

async function look(page: Page, name: keyof typeof looks): Promise<void> {
  const { scheme, ...size } = looks[name];
  await page.setViewportSize(size);
  await page.emulateMedia({ colorScheme: scheme });
}

async function faultsIn(page: Page, what: 'page' | 'look') {
  return { access: await accessFaults(page, what), overflow: Math.max(0, await overflow(page)) };
}

/** Bytes as gzip sends them of the styles and the scripts that a page loads first. @param url of the server */
export async function assetBytes(
  { page }: Window,
  url: string,
): Promise<{ styles: number; scripts: number }> {
  const bytes = async (selector: string, name: string): Promise<number> => {
    const all = await page.$$eval(
      selector,
      (found, name) => found.map((one) => one.getAttribute(name)),
      name,
    );
    const bodies = all.map(async (one) => (await fetch(new URL(one ?? '', url))).text());
    return (await Promise.all(bodies)).reduce((sum, text) => sum + gzipSync(text).length, 0);
  };
  return {
    styles: await bytes('link[rel=stylesheet]', 'href'),
    scripts: await bytes('script[src]', 'src'),
  };
}
