// Pages of the manual whose programs run in a browser: their folder is served, and opened as a visitor opens it.
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { openChromium } from '../support/chromium.ts';
import { freePort } from '../support/command-blocks.ts';

/** The port of the web page in the manual. */
const DOCUMENTED = ':5173';
const TYPES: Record<string, string> = { html: 'text/html', js: 'text/javascript' };

/** A folder that will be served, at an address that is known before. */
export interface Site {
  readonly origin: string;
  /** For `instead` of testPage. */
  readonly instead: Record<string, string>;
  /** Serves the folder while somebody looks at it. */
  look<T>(folder: string, work: (context: BrowserContext) => Promise<T>): Promise<T>;
}

export async function siteOf(): Promise<Site> {
  const port = await freePort();
  return {
    origin: `http://127.0.0.1:${port}`,
    instead: { [DOCUMENTED]: `:${port}` },
    async look(folder, work) {
      const server = createServer((request, response) => {
        const name = request.url === '/' ? 'index.html' : (request.url ?? '').slice(1);
        const file = join(folder, name);
        const isThere = /^[\w-]+\.(html|js)$/.test(name) && existsSync(file);
        response.writeHead(isThere ? 200 : 404, {
          'Content-Type': TYPES[name.split('.').at(-1) ?? ''] ?? 'text/plain',
        });
        response.end(isThere ? readFileSync(file) : '');
      }).listen(port, '127.0.0.1');
      const chromium = await openChromium();
      try {
        return await work((await chromium.look()).context);
      } finally {
        await chromium.close();
        server.close();
      }
    },
  };
}

/** Makes a key that one machine may use, into a file: `key.txt`. */
export const keyOfOneMachine =
  'appctl license mint --product editor --email ann@example.com --max-activations 1 --reveal --json | jq -r .key > key.txt';
