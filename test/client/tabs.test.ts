// localStorageStorage in real tabs: one machine id, whoever is first, and no data where the browser keeps none.
import { createServer, type Server } from 'node:http';
import { build } from 'esbuild';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chromium, openChromium } from '../support/chromium.ts';

type Client = typeof import('../../src/client/index.ts');

const PAGE = `<!doctype html><title>Editor</title>
<script type="module">import * as client from '/client.js'; window.client = client;</script>`;

let chromium: Chromium;
let site: Server;
let origin: string;
beforeAll(async () => {
  const { outputFiles } = await build({
    entryPoints: [new URL('../../src/client/index.ts', import.meta.url).pathname],
    bundle: true,
    format: 'esm',
    write: false,
  });
  site = createServer((request, response) => {
    const isModule = request.url === '/client.js';
    response.setHeader('Content-Type', isModule ? 'text/javascript' : 'text/html');
    response.end(isModule ? outputFiles[0]?.text : PAGE);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => site.once('listening', resolve));
  origin = `http://127.0.0.1:${(site.address() as { port: number }).port}`;
  chromium = await openChromium();
}, 60_000);
afterAll(async () => {
  await chromium?.close();
  site?.close();
});

async function tabsOf(context: BrowserContext, count: number): Promise<Page[]> {
  const pages: Page[] = [];
  for (let tab = 0; tab < count; tab += 1) {
    const page = await context.newPage();
    await page.goto(origin);
    pages.push(page);
  }
  return pages;
}

/** Runs in a tab, at the same moment as in the others. */
async function begin({ startAt, times }: { startAt: number; times: number }) {
  const { createMachineId, localStorageStorage } = (globalThis as unknown as { client: Client }).client;
  const storage = localStorageStorage('editor.');
  while (Date.now() < startAt) await new Promise((resolve) => setTimeout(resolve, 1));
  const id = await createMachineId(storage);
  for (let time = 0; time < times; time += 1)
    await storage.update?.('count', (value) => String(Number(value ?? 0) + 1));
  return id;
}

describe.each([
  ['with navigator.locks', '', 25],
  ['without', "Object.defineProperty(navigator, 'locks', { value: undefined })", 3],
] as const)('four tabs %s', (_how, script, times) => {
  test('have one machine id and lose no change', async () => {
    const { context } = await chromium.look();
    if (script) await context.addInitScript(script);
    const tabs = await tabsOf(context, 4);
    const startAt = Date.now() + 1_000;
    const ids = await Promise.all(tabs.map((tab) => tab.evaluate(begin, { startAt, times })));
    expect(new Set(ids).size).toBe(1);
    const kept = await tabs[0]?.evaluate(() => ({ ...localStorage }) as Record<string, string>);
    expect(kept).toMatchObject({ 'editor.appctl.machine-id': ids[0], 'editor.count': String(4 * times) });
    expect(Object.keys(kept ?? {})).not.toContain('editor.appctl.lock');
    await context.close();
  }, 60_000);
});

/** Runs in a tab whose browser keeps nothing. */
async function beginWithout() {
  const { createMachineId, localStorageStorage, ClientError } = (globalThis as unknown as { client: Client })
    .client;
  try {
    return await createMachineId(localStorageStorage());
  } catch (error) {
    return error instanceof ClientError ? `${error.code}: ${error.message}` : String(error);
  }
}

test.each([
  [
    'site data is blocked',
    "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('denied', 'SecurityError') } })",
    /^STORAGE: this browser keeps no data for this page/,
  ],
  [
    'the storage is full',
    "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError') }",
    /^STORAGE: the localStorage of this page is full/,
  ],
])('where %s, the application learns it', async (_what, script, message) => {
  const { context } = await chromium.look();
  await context.addInitScript(script);
  const [tab] = await tabsOf(context, 1);
  expect(await tab?.evaluate(beginWithout)).toMatch(message);
  await context.close();
});
