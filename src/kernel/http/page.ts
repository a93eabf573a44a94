import type { Application, Request, Response } from 'express';
import type { z } from 'zod';
import type { Ctx } from '../context.ts';
import { AppError } from '../errors.ts';
import type { Exchange } from './exchange.ts';
import { type HttpRuntime, openExchange } from './runtime.ts';

type Schema = z.ZodType;
type Out<S> = S extends Schema ? z.output<S> : undefined;

/** A template and its view model, or another address. */
export type Shown = { view: string; data: Record<string, unknown>; status?: number } | { redirect: string };

interface PageSpec<P extends Schema | undefined> {
  readonly path: string;
  readonly title: string;
  /** Who may see it; pages for customers and staff come with the sessions of the panel. */
  readonly audience: 'public';
  readonly params?: P;
  show(ctx: Ctx, input: { params: Out<P> }): Promise<Shown>;
}

export interface Page {
  readonly path: string;
  readonly title: string;
  readonly audience: 'public';
  readonly params?: Schema | undefined;
  show(ctx: Ctx, input: { params: unknown }): Promise<Shown>;
}

/** Declares a page once; templates receive view models only (architecture section 6). */
export const page = <P extends Schema | undefined = undefined>(spec: PageSpec<P>): Page =>
  spec as unknown as Page;

export const show = (view: string, data: Record<string, unknown>): Shown => ({ view, data });

/** Renders a template inside the layout. */
export type Renderer = (view: string, data: Record<string, unknown>) => string;

const CSP =
  "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/** Makes the routes of pages; an unknown address outside the APIs shows the page of a missing page. */
export function mountPages(
  app: Application,
  pages: readonly Page[],
  http: HttpRuntime,
  render: Renderer,
): void {
  for (const declared of pages) {
    const route = declared.path.replaceAll(/\{(\w+)\}/g, ':$1');
    app.get(route, async (req: Request, res: Response) => {
      const exchange = openExchange(req, res, http, declared.path);
      await sendPage(exchange, http, render, declared, req.params);
    });
  }
  app.use((req: Request, res: Response) => {
    const exchange = openExchange(req, res, http, '*');
    sendHtml(exchange, http, 404, render('platform/error', { title: 'Page not found', status: 404 }));
  });
}

async function sendPage(
  exchange: Exchange,
  http: HttpRuntime,
  render: Renderer,
  declared: Page,
  address: unknown,
): Promise<void> {
  try {
    const params = declared.params?.parse(address);
    const shown = await declared.show(exchange.ctx, { params });
    if ('redirect' in shown) {
      exchange.res.writeHead(303, { ...exchange.headers, Location: shown.redirect }).end();
      return http.observe(exchange, 303, null);
    }
    sendHtml(
      exchange,
      http,
      shown.status ?? 200,
      render(shown.view, { title: declared.title, ...shown.data }),
    );
  } catch (cause) {
    const status = cause instanceof AppError ? cause.status : 500;
    if (status === 500) http.root.log.error({ err: cause, requestId: exchange.requestId }, 'page failed');
    const title = cause instanceof AppError ? cause.message : 'Something went wrong';
    sendHtml(exchange, http, status, render('platform/error', { title, status }));
  }
}

function sendHtml(exchange: Exchange, http: HttpRuntime, status: number, html: string): void {
  exchange.res.writeHead(status, {
    ...exchange.headers,
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': CSP,
    'Cache-Control': 'no-store',
  });
  exchange.res.end(html);
  http.observe(exchange, status, null);
}
