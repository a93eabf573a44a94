// A person at a browser: what they press and fill in, and at each page whether it is one for everybody.
import { expect } from 'vitest';
import { accessFaults, type Chromium, type Looking, overflow } from '../support/chromium.ts';

type Page = Window['page'];
type Window = Awaited<ReturnType<Chromium['look']>>;

export interface Walker extends Window {
  readonly hasScripts: boolean;
  /** Closes the window, and the one that stood in for it. */
  close(): Promise<void>;
  /** Opens an address of the server, or another one. */
  open(path: string): Promise<void>;
  /** Fills in fields of the page by their names: a text, a choice of a select or of boxes, or ticked. */
  fill(values: Readonly<Record<string, string | readonly string[] | true>>): Promise<void>;
  /** Presses what has these words in the page itself. */
  push(words: string): Promise<void>;
  /** Presses it, and waits for the page that it leads to. */
  press(words: string): Promise<void>;
  /** Holds when the page comes to show the words: by itself where it has scripts, else when it is read again. */
  sees(words: string): Promise<void>;
  /** The text of what a selector finds first. */
  text(selector: string): Promise<string>;
  /** Holds when the page has this heading and stands nobody in the way: axe, the window's edge, scripts, the policy. */
  stands(heading: string | RegExp): Promise<void>;
}

/** @param url of the server */
export async function walker(chromium: Chromium, url: string, looking: Looking): Promise<Walker> {
  const window = await chromium.look(looking);
  const { page, faults } = window;
  // Before the test gives up, so that it says what was missing.
  page.setDefaultTimeout(25_000);
  const hasScripts = looking.javaScript !== false;
  // What judges a page needs timers, which a window without scripts never runs: it is given the page as it stands there.
  const judged = hasScripts ? window : await chromium.look({ ...looking, javaScript: true });
  const mirror = judged.page;
  const access = async () => {
    if (!hasScripts) await reflect(page, mirror);
    return accessFaults(mirror);
  };
  const main = page.locator('main');
  const text = async (selector: string) => (await page.locator(selector).first().innerText()).trim();
  const push = (words: string) => {
    const isNamed = { name: words, exact: true };
    const pressed = main.getByRole('button', isNamed).or(main.getByRole('link', isNamed));
    return pressed
      .or(main.locator('summary').getByText(words, { exact: true }))
      .first()
      .click();
  };
  return {
    ...window,
    hasScripts,
    async close() {
      await window.context.close();
      if (judged !== window) await judged.context.close();
    },
    text,
    async open(path) {
      await page.goto(new URL(path, url).href);
    },
    async fill(values) {
      for (const [name, value] of Object.entries(values)) {
        const field = main.locator(`[name="${name}"]`);
        if (value === true) await field.check();
        else if (typeof value !== 'string')
          for (const one of value) await main.locator(`[name="${name}"][value="${one}"]`).check();
        else if ((await field.evaluate(({ tagName }) => tagName)) === 'SELECT')
          await field.selectOption(value);
        else await field.fill(value);
      }
    },
    push,
    async press(words) {
      await Promise.all([page.waitForEvent('load'), push(words)]);
    },
    async sees(words) {
      const found = main.getByText(words).first();
      if (hasScripts) await found.waitFor();
      else
        for (let tries = 0; tries < 100 && !(await found.isVisible()); tries += 1) {
          await page.waitForTimeout(100);
          await page.reload();
        }
      expect(await found.isVisible()).toBe(true);
    },
    async stands(heading) {
      const found = {
        heading: await text('h1'),
        access: await access(),
        overflow: Math.max(0, await overflow(page)),
        faults: [...faults],
      };
      const right = { heading: expect.stringMatching(heading), access: [], overflow: 0, faults: [] };
      faults.length = 0;
      expect(found).toEqual(right);
    },
  };
}

/** Shows in one window what stands in another, without its scripts. */
async function reflect(page: Page, mirror: Page): Promise<void> {
  const body = (await page.content()).replaceAll(/<script[^>]*><\/script>/g, '');
  await mirror.route(page.url(), (route) => route.fulfill({ body, contentType: 'text/html' }));
  await mirror.goto(page.url());
  await mirror.unrouteAll();
}
