import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Application, Request, RequestHandler, Response } from 'express';
import { AppError } from '../errors.ts';
import { isOn } from '../settings-reader.ts';
import { answerPage, type PageAddress } from './answer-page.ts';
import { nobody } from './nobody.ts';
import type { Page } from './page.ts';
import { type HttpRuntime, openExchange } from './runtime.ts';
import { sendError } from './send-page.ts';
import type { Site } from './site.ts';
import { dropRest } from './upload.ts';

/**
 * Makes the routes of pages; an unknown address outside of the APIs shows the page of a missing page.
 *
 * @throws Error for a page that needs visitors where there are none, or a form that nothing takes
 */
export function mountPages(app: Application, site: Site, http: HttpRuntime): void {
  for (const page of site.pages) {
    requireWhole(page, site);
    const route = page.path.replaceAll(/\{(\w+)\}/g, ':$1');
    const taken = page.submit ? ['GET', 'HEAD', 'POST'] : ['GET', 'HEAD'];
    // One layer of the router for all methods: `app.all` would make one for each of them, of hundreds of pages.
    app.route(route).all(
      whileOn(http, page, (req, res) => {
        if (taken.includes(req.method)) return void answer(site, http, page, req, res);
        const exchange = openExchange(req, res, http, page.path);
        exchange.headers.Allow = taken.join(', ');
        const refusal = new AppError('METHOD_NOT_ALLOWED', 405, 'Method not allowed');
        sendError({ site, http, exchange, page, visitor: null, around: null }, refusal);
      }),
    );
  }
  app.use((req: Request, res: Response) => {
    const exchange = openExchange(req, res, http, '*');
    sendError({ site, http, exchange, page: null, visitor: null, around: null }, noSuchPage());
  });
}

/** Passes on what is asked of a page that is switched off: in the end nobody knows its address. */
const whileOn =
  (http: HttpRuntime, page: Page, run: (req: Request, res: Response) => void): RequestHandler =>
  (req, res, next) =>
    isOn(page, http.root) ? run(req, res) : next();

/** Of an address that is nobody's. */
export const noSuchPage = (): AppError => new AppError('NOT_FOUND', 404, 'No such page');

function requireWhole(page: Page, { visitors }: Site): void {
  const { path, audience, submit } = page;
  // The form of a page may be made when it is first asked for.
  if (!submit && (page.form || page.files)) throw new Error(`${path} has a form and no submit`);
  if (visitors !== nobody) return;
  if (submit || audience !== 'public') throw new Error(`${path} needs visitors who can be told apart`);
}

async function answer(
  site: Site,
  http: HttpRuntime,
  page: Page,
  req: IncomingMessage & PageAddress,
  res: ServerResponse,
): Promise<void> {
  const exchange = openExchange(req, res, http, page.path);
  await answerPage(site, http, page, exchange, req);
  if (!req.complete) dropRest(req);
}
