import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Application, NextFunction, Request, Response } from 'express';
import { AppError } from '../errors.ts';
import { isOn } from '../settings-reader.ts';
import { answerPage, type PageAddress } from './answer-page.ts';
import { nobody } from './nobody.ts';
import type { Page } from './page.ts';
import { type FoundPage, pageFinder } from './page-finder.ts';
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
  for (const page of site.pages) requireWhole(page, site);
  const find = pageFinder(site.pages.filter((page) => !page.isForTheRest));
  const rest = site.pages.filter((page) => page.isForTheRest);
  app.use((req: Request, res: Response, next: NextFunction) => {
    // What is asked of a page that is switched off goes on: in the end nobody knows its address.
    const found = find(req.path).find(({ page }) => isOn(page, http.root));
    if (found) take(site, http, found, req, res);
    else next();
  });
  app.use((req: Request, res: Response) => {
    const page = rest.find(({ path }) => req.path === path || req.path.startsWith(`${path}/`));
    if (page && isOn(page, http.root)) return take(site, http, { page, params: {} }, req, res);
    const exchange = openExchange(req, res, http, '*');
    void sendError({ site, http, exchange, page: null, visitor: null, around: null }, noSuchPage());
  });
}

function take(site: Site, http: HttpRuntime, { page, params }: FoundPage, req: Request, res: Response): void {
  const taken = page.submit ? ['GET', 'HEAD', 'POST'] : ['GET', 'HEAD'];
  if (taken.includes(req.method))
    return void answer(site, http, page, { params, query: req.query }, req, res);
  const exchange = openExchange(req, res, http, page.path);
  exchange.headers.Allow = taken.join(', ');
  const refusal = new AppError('METHOD_NOT_ALLOWED', 405, 'Method not allowed');
  void sendError({ site, http, exchange, page, visitor: null, around: null }, refusal);
}

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
  address: PageAddress,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const exchange = openExchange(req, res, http, page.path);
  await answerPage(site, http, page, exchange, address);
  if (!req.complete) dropRest(req);
}
