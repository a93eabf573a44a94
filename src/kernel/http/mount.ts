import type { Application, Request, Response } from 'express';
import type { z } from 'zod';
import type { Ctx } from '../context.ts';
import { isUnavailable } from '../db/dialect.ts';
import { AppError } from '../errors.ts';
import { type BodyReader, jsonBody, UnreadableBody } from './body.ts';
import { limitAddress } from './client-address.ts';
import { allowOrigin } from './cors.ts';
import type { CredentialFailures } from './credential-failures.ts';
import type { Endpoint } from './endpoint.ts';
import { type Exchange, openExchange, send } from './exchange.ts';
import { applyLimit, refuseGuesser } from './limit.ts';
import type { RateLimiters } from './rate-limit.ts';
import type { Caller, Surface } from './surface.ts';

/** What every route of the process shares. */
export interface HttpRuntime {
  readonly root: Ctx;
  readonly limiters: RateLimiters;
  readonly failures: CredentialFailures;
  /** Told of every answer: request log and metrics. */
  observe(exchange: Exchange, status: number, code: string | null): void;
}

/** Makes the express routes of a surface's endpoints (architecture section 4: the one path of a request). */
export function mount(app: Application, surface: Surface, http: HttpRuntime): void {
  for (const endpoint of surface.endpoints) {
    const route = endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1');
    const readBody = endpoint.body ? jsonBody(endpoint.bodyBytes ?? surface.bodyBytes) : null;
    app[endpoint.method](route, async (req: Request, res: Response) => {
      const exchange = openExchange(req, res, http.root, endpoint.path);
      try {
        await answer(surface, http, endpoint, readBody, exchange);
      } catch (cause) {
        fail(surface, http, exchange, cause);
      }
    });
  }
}

/** Answers paths and methods that no endpoint has, in the surface's envelope (D8). */
export function mountNotFound(app: Application, surface: Surface, http: HttpRuntime): void {
  for (const prefix of surface.prefixes) {
    app.use(prefix, (req: Request, res: Response) => {
      fail(surface, http, openExchange(req, res, http.root, prefix), surface.notFound());
    });
  }
}

async function answer(
  surface: Surface,
  http: HttpRuntime,
  endpoint: Endpoint,
  readBody: BodyReader | null,
  exchange: Exchange,
): Promise<void> {
  const { req, res } = exchange;
  const address = limitAddress(exchange.ip);
  const guesses = endpoint.scope === null ? null : surface.failureLimit(exchange.ctx);
  if (guesses) refuseGuesser(surface, exchange, guesses, http.failures.blockedSeconds(address, guesses));
  if (endpoint.limit?.by === 'ip') await applyLimit(surface, http, exchange, endpoint.limit, address, null);
  const caller = await identify(surface, http, endpoint, exchange, address);
  if (endpoint.limit?.by === 'credential') {
    await applyLimit(surface, http, exchange, endpoint.limit, caller?.limitKey ?? address, caller);
  }
  const body = readBody ? await readBody(req, res) : undefined;
  const reply = await endpoint.handle(exchange.ctx, {
    params: parse(surface, endpoint.params, req.params),
    query: parse(surface, endpoint.query, endpoint.query ? singleQuery(surface, req) : undefined),
    headers: parse(surface, endpoint.headers, req.headers),
    body: parse(surface, endpoint.body, body),
  });
  send(exchange, reply.status, surface.success(reply.body));
  http.observe(exchange, reply.status, null);
}

async function identify(
  surface: Surface,
  http: HttpRuntime,
  endpoint: Endpoint,
  exchange: Exchange,
  address: string,
): Promise<Caller | null> {
  if (endpoint.scope === null) return null;
  const { req } = exchange;
  const caller = await surface.authenticate(
    exchange.ctx,
    {
      ip: exchange.ip,
      header: (name) => req.headers[name] as string | undefined,
      countUnknownCredential: async (credential) => {
        const rule = surface.failureLimit(exchange.ctx);
        if (!rule) return;
        // Guesses that came together all passed the first look: each is judged again by its own place in the count.
        refuseGuesser(surface, exchange, rule, await http.failures.count(address, credential, rule));
      },
    },
    endpoint.scope,
  );
  exchange.ctx = exchange.ctx.with({ actor: caller.actor, tenantId: caller.tenantId });
  allowOrigin(exchange, caller);
  return caller;
}

function parse(surface: Surface, schema: z.ZodType | undefined, value: unknown): unknown {
  if (!schema) return undefined;
  const result = schema.safeParse(value);
  if (!result.success) throw surface.invalid(result.error.issues);
  return result.data;
}

/** A repeated parameter would arrive as a list; which one counts would differ between servers (D4). */
function singleQuery(surface: Surface, req: Request): unknown {
  for (const [name, value] of Object.entries(req.query)) {
    if (Array.isArray(value))
      throw surface.unreadable(`query parameter ${name} is given more than once`, 400);
  }
  return req.query;
}

function fail(surface: Surface, http: HttpRuntime, exchange: Exchange, cause: unknown): void {
  const error = toAppError(surface, cause);
  if (error !== cause && !(cause instanceof UnreadableBody)) {
    const level = isUnavailable(cause) ? 'warn' : 'error';
    http.root.log[level](
      { err: cause, requestId: exchange.requestId, route: exchange.route },
      'request failed',
    );
  }
  send(exchange, error.status, surface.failure(error, exchange.requestId));
  http.observe(exchange, error.status, error.code);
}

function toAppError(surface: Surface, cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  if (cause instanceof UnreadableBody) return surface.unreadable(cause.message, cause.status);
  return surface.unexpected();
}
