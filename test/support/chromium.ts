// A real Chromium out of an npm package: nothing is fetched, and nothing of the machine is needed but libc.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import chromium, { setupLambdaEnvironment } from '@sparticuz/chromium';
import { type Browser, type BrowserContext, type Page, chromium as playwright } from 'playwright-core';

/** How somebody looks at pages. */
export type Looking = {
  /** True when absent. */
  javaScript?: boolean;
  width?: number;
  scheme?: 'light' | 'dark';
};

export type Chromium = {
  /** A window with cookies of its own; whatever goes wrong in it is in `faults`. */
  look(how?: Looking): Promise<{ page: Page; context: BrowserContext; faults: string[] }>;
  close(): Promise<void>;
};

/** In one process, what a script of a second window fetches is sent with the cookies of the first. */
const SHARING: ReadonlySet<string> = new Set(['--single-process', '--no-zygote']);

/**
 * Starts a browser; close it in `afterAll`. CHROME_PATH names another one.
 *
 * @param more arguments of its command line
 */
export async function openChromium(more: readonly string[] = []): Promise<Chromium> {
  const { executablePath, env } = await unpacked();
  const browser: Browser = await playwright.launch({
    executablePath,
    env,
    args: [
      ...chromium.args.filter((arg) => !SHARING.has(arg)),
      '--no-sandbox',
      '--disable-background-networking',
      ...more,
    ],
  });
  return {
    async look({ javaScript = true, width = 1280, scheme = 'light' } = {}) {
      const context = await browser.newContext({
        javaScriptEnabled: javaScript,
        viewport: { width, height: width < 500 ? 740 : 850 },
        colorScheme: scheme,
      });
      const page = await context.newPage();
      const faults: string[] = [];
      // Violations of the page's content policy are errors of the console.
      page.on('console', (said) => said.type() === 'error' && faults.push(said.text()));
      page.on('pageerror', ({ message }) => isOfAnimation(message) || faults.push(message));
      page.on('dialog', (dialog) => {
        faults.push(`a script asked: ${dialog.message()}`);
        void dialog.dismiss();
      });
      return { page, context, faults };
    },
    close: () => browser.close(),
  };
}

/** A busy machine leaves out the passage from one page to the next, and says so where errors of pages are told. */
const isOfAnimation = (message: string): boolean => /^Transition was (aborted|skipped)/.test(message);

/** The libraries are found by a variable of the environment, which is the browser's alone. */
async function unpacked(): Promise<{ executablePath: string; env: Record<string, string> }> {
  const own = process.env.LD_LIBRARY_PATH;
  const before = process.env.AWS_LAMBDA_JS_RUNTIME;
  // For the package, this is a machine that lacks what Chromium needs.
  process.env.AWS_LAMBDA_JS_RUNTIME = 'nodejs22.x';
  try {
    setupLambdaEnvironment('/tmp/al2023/lib');
    const executablePath = process.env.CHROME_PATH ?? (await chromium.executablePath());
    return { executablePath, env: { ...process.env } as Record<string, string> };
  } finally {
    restore('LD_LIBRARY_PATH', own);
    restore('AWS_LAMBDA_JS_RUNTIME', before);
  }
}

function restore(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const ALL = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
/** What colors and the width of the window change: names, roles and states are the same in every look. */
const LOOKS = ['color-contrast', 'link-in-text-block', 'target-size', 'scrollable-region-focusable'];

/**
 * What people with disabilities would stumble over on a page (WCAG 2.0 to 2.2, A and AA), a line each.
 *
 * @param what `look`: only what another width or other colors may have changed on a page that was judged before
 */
export async function accessFaults(page: Page, what: 'page' | 'look' = 'page'): Promise<string[]> {
  if (what === 'page') await page.evaluate(axe);
  const runOnly = what === 'page' ? ALL : { type: 'rule', values: LOOKS };
  const { violations } = await page.evaluate(
    // In the page, where the script above has put it.
    (runOnly) => (globalThis as never as { axe: Axe }).axe.run({ runOnly, resultTypes: ['violations'] }),
    runOnly,
  );
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`,
  );
}

interface Axe {
  run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
}

/** How many pixels of a page are beyond the right edge of its window. */
export const overflow = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - innerWidth');
