import type { IncomingMessage, ServerResponse } from 'node:http';
import { parse as parseQuery } from 'node:querystring';
import type { Express, Request, Response } from 'express';
import { once } from '../sharing.ts';
import { type Address, answer, type BodyReader } from './answer.ts';
import { jsonBody } from './body.ts';
import type { Branches } from './branches.ts';
import { fail } from './conclude.ts';
import { type Endpoint, hasBody } from './endpoint.ts';
import { spareInput } from './limit.ts';
import { rawBody } from './raw-body.ts';
import { singleHeaders } from './repeated-headers.ts';
import { type HttpRuntime, openExchange } from './runtime.ts';
import type { Surface } from './surface.ts';
import { Turns } from './turns.ts';
import { dropRest, openUpload } from './upload.ts';
import type { Visitors } from './visitors.ts';

/**
 * Answers requests whose method and path are exactly these, ahead of the router: `POST /api/v1/license/validate`.
 * `search` is what follows the question mark; null without one.
 */
export type ExactRoutes = Map<
  string,
  (req: IncomingMessage, res: ServerResponse, search: string | null) => void
>;

/** How requests find the endpoint that they ask. */
export interface Routes {
  readonly exact: ExactRoutes;
  readonly branches: Branches;
}

const PLAIN: Address = { params: {}, query: {} };

/**
 * Makes the routes of a surface's endpoints (architecture section 4: the one path of a request). An address without
 * parameters is found by one look-up; routers, which try route after route, get the others (decision 0010).
 */
export function mount(
  app: Express,
  { exact, branches }: Routes,
  surface: Surface,
  http: HttpRuntime,
  visitors: Visitors,
): void {
  const turns = new Turns();
  for (const endpoint of surface.endpoints) {
    const route = endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1');
    const readBody = bodyReader(surface, endpoint);
    const single = once(() => singleHeaders(surface, endpoint));
    const run = async (req: IncomingMessage, res: ServerResponse, address: Address): Promise<void> => {
      const exchange = openExchange(req, res, http, endpoint.path);
      try {
        await answer(surface, http, { endpoint, readBody, single, visitors }, exchange, address);
      } catch (cause) {
        await spareInput(exchange, cause);
        await fail(surface, http, exchange, cause);
      }
      if (!req.complete) dropRest(req);
    };
    branches.add(endpoint.method, route, (req: Request, res: Response) => run(req, res, req));
    if (route === endpoint.path) {
      exact.set(`${endpoint.method.toUpperCase()} ${route}`, (req, res, search) => {
        // Whether a browser came by https, and may be given a cookie, express alone finds out (M15).
        if (surface.sessions) Object.setPrototypeOf(req, app.request);
        // As the router reads it: express is set to its simple parser.
        const address = search === null ? PLAIN : { params: {}, query: parseQuery(search) };
        if (endpoint.requireRoom) turns.enter(() => void run(req, res, address));
        else void run(req, res, address);
      });
    }
  }
}

function bodyReader(surface: Surface, endpoint: Endpoint): BodyReader | null {
  const { upload } = endpoint;
  if (upload) {
    const readJson = jsonBody(surface.bodyBytes);
    return ({ req, res, ctx }) =>
      upload.orJson && isJson(req)
        ? readJson(req, res)
        : openUpload(req, upload.maxBytes(ctx), upload.fields);
  }
  if (endpoint.rawBody) {
    const read = rawBody(endpoint.rawBody.maxBytes);
    return ({ req }) => read(req);
  }
  if (!hasBody(endpoint)) return null;
  const read = jsonBody(endpoint.bodyBytes ?? surface.bodyBytes, () => endpoint.bodyOptional === true);
  return ({ req, res }) => read(req, res);
}

const isJson = ({ headers }: IncomingMessage): boolean =>
  /^application\/json\b/i.test(headers['content-type'] ?? '');

/** Answers paths and methods that no endpoint has, in the surface's envelope (D8). */
export function mountNotFound(app: Express, surface: Surface, http: HttpRuntime): void {
  for (const prefix of surface.prefixes) {
    app.use(prefix, (req: Request, res: Response) => {
      void fail(surface, http, openExchange(req, res, http, prefix), surface.notFound());
    });
  }
}
