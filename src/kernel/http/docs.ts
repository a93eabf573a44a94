import type { Application, Request, Response } from 'express';
import { readAsset } from '../assets.ts';
import { describedApi } from './openapi-words.ts';
import type { Surface } from './surface.ts';

const PAGE = 'templates/api-docs/index.html';
const UI = 'node_modules/swagger-ui-dist';

/** Address below /api/docs to shipped file and its type. */
const files = {
  '/api/docs/start.js': ['templates/assets/api-reference.js', 'text/javascript; charset=utf-8'],
  '/api/docs/page.css': ['templates/api-docs/page.css', 'text/css; charset=utf-8'],
  '/api/docs/swagger-ui.js': [`${UI}/swagger-ui-bundle.js`, 'text/javascript; charset=utf-8'],
  '/api/docs/swagger-ui.css': [`${UI}/swagger-ui.css`, 'text/css; charset=utf-8'],
  '/api/docs/favicon.png': [`${UI}/favicon-32x32.png`, 'image/png'],
} as const;

/** Files of other packages that the page needs; the build puts them into the executable. */
export const docsAssets: readonly string[] = Object.values(files)
  .map(([key]) => key)
  .filter((key) => key.startsWith(UI));

/** The page's own policy: the reference sets inline styles and draws its icons from data addresses. */
const HEADERS = {
  'Content-Security-Policy':
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
} as const;

/**
 * The interactive API reference and its document, for installations that are not in production (spec, "Interactive
 * API docs"; D33). Where this is not called, the addresses answer like any unknown one.
 *
 * @param surfaces the first is the one that the page shows; `/api/docs/<name>.openapi.json` has the others
 * @param version of the program
 */
export function mountDocs(app: Application, surfaces: readonly Surface[], version: string): void {
  // A service that is switched off has nothing to show.
  if (surfaces.length === 0) return;
  for (const [address, [key, type]] of Object.entries(files)) {
    app.get(address, (_req: Request, res: Response) => {
      res.writeHead(200, { ...HEADERS, 'Content-Type': type }).end(readAsset(key));
    });
  }
  const documents = surfaces.map((surface, index) => ({
    surface,
    address: index === 0 ? '/api/docs/openapi.json' : `/api/docs/${surface.name}.openapi.json`,
  }));
  const links = documents.map(
    ({ surface, address }) => `<a href="/api/docs?document=${address}">${surface.title}</a>`,
  );
  const html = readAsset(PAGE).toString('utf8').replace('<!-- documents -->', links.join('\n'));
  app.get('/api/docs', (_req: Request, res: Response) => {
    res.writeHead(200, { ...HEADERS, 'Content-Type': 'text/html; charset=utf-8' }).end(html);
  });
  for (const { surface, address } of documents) {
    app.get(address, (_req: Request, res: Response) => {
      const document = describedApi(surface, version, '/');
      res
        .writeHead(200, { ...HEADERS, 'Content-Type': 'application/json; charset=utf-8' })
        .end(JSON.stringify(document));
    });
  }
}
