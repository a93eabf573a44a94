import type { IncomingMessage, ServerResponse } from 'node:http';
import { parse as parseQuery } from 'node:querystring';
import type { Application, Request, Response } from 'express';
import type { z } from 'zod';
import type { Ctx } from '../context.ts';
import { isUnavailable } from '../db/dialect.ts';
import { AppError } from '../errors.ts';
import { jsonBody, UnreadableBody } from './body.ts';
import { limitAddress } from './client-address.ts';
import { allowOrigin } from './cors.ts';
import type { CredentialFailures } from './credential-failures.ts';
import type { Endpoint, Presented, Reply } from './endpoint.ts';
import { type Exchange, openExchange, sendText, tellAnswered } from './exchange.ts';
import { applyLimit, refuseGuesser } from './limit.ts';
import type { RateLimiters } from './rate-limit.ts';
import { rawBody } from './raw-body.ts';
import { repeatedHeader, singleHeaders } from './repeated-headers.ts';
import { sendContent } from './send-content.ts';
import type { Caller, Seal, Surface } from './surface.ts';
import { dropRest, openUpload } from './upload.ts';

/** What answers tell about the server. */
export interface ServerState {
  readonly isHttps: boolean;
  /** The server stops: every answer asks its client to open another connection. */
  isDraining: boolean;
}

/** What every route of the process shares. */
export interface HttpRuntime {
  readonly root: Ctx;
  readonly limiters: RateLimiters;
  readonly failures: CredentialFailures;
  /** Address of the client, normalised; a trusted proxy's word counts (D16). */
  clientAddress(req: IncomingMessage): string;
  readonly state: ServerState;
  /** Told of every answer: request log and metrics. */
  observe(exchange: Exchange, status: number, code: string | null): void;
}

/**
 * Answers requests whose method and path are exactly these, ahead of the router: `POST /api/v1/license/validate`.
 * `search` is what follows the question mark; null without one.
 */
export type ExactRoutes = Map<
  string,
  (req: IncomingMessage, res: ServerResponse, search: string | null) => void
>;

/** What the router read out of the address. */
interface Address {
  params: unknown;
  query: Record<string, unknown>;
}

const PLAIN: Address = { params: {}, query: {} };

/** An endpoint and what was made of its declaration when it was mounted. */
interface Mounted {
  readonly endpoint: Endpoint;
  readonly readBody: BodyReader | null;
  /** Headers that may come once. */
  readonly single: ReadonlySet<string>;
}

type BodyReader = (exchange: Exchange) => Promise<unknown>;

/**
 * Makes the routes of a surface's endpoints (architecture section 4: the one path of a request). An address without
 * parameters is found by one look-up; the router, which tries route after route, gets the others (decision 0010).
 */
export function mount(app: Application, exact: ExactRoutes, surface: Surface, http: HttpRuntime): void {
  for (const endpoint of surface.endpoints) {
    const route = endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1');
    const readBody = bodyReader(surface, endpoint);
    const single = singleHeaders(surface, endpoint);
    const run = async (req: IncomingMessage, res: ServerResponse, address: Address): Promise<void> => {
      const exchange = openExchange(req, res, http, endpoint.path);
      try {
        await answer(surface, http, { endpoint, readBody, single }, exchange, address);
      } catch (cause) {
        await fail(surface, http, exchange, cause);
      }
      if (!req.complete) dropRest(req);
    };
    app[endpoint.method](route, (req: Request, res: Response) => run(req, res, req));
    if (route === endpoint.path) {
      exact.set(`${endpoint.method.toUpperCase()} ${route}`, (req, res, search) => {
        // As the router reads it: express is set to its simple parser.
        void run(req, res, search === null ? PLAIN : { params: {}, query: parseQuery(search) });
      });
    }
  }
}

function bodyReader(surface: Surface, endpoint: Endpoint): BodyReader | null {
  const { upload } = endpoint;
  if (upload) return ({ req, ctx }) => openUpload(req, upload.maxBytes(ctx));
  if (endpoint.rawBody) {
    const read = rawBody(endpoint.rawBody.maxBytes);
    return ({ req }) => read(req);
  }
  if (!endpoint.body) return null;
  const read = jsonBody(endpoint.bodyBytes ?? surface.bodyBytes, endpoint.bodyOptional);
  return ({ req, res }) => read(req, res);
}

/** Answers paths and methods that no endpoint has, in the surface's envelope (D8). */
export function mountNotFound(app: Application, surface: Surface, http: HttpRuntime): void {
  for (const prefix of surface.prefixes) {
    app.use(prefix, (req: Request, res: Response) => {
      void fail(surface, http, openExchange(req, res, http, prefix), surface.notFound());
    });
  }
}

async function answer(
  surface: Surface,
  http: HttpRuntime,
  { endpoint, readBody, single }: Mounted,
  exchange: Exchange,
  { params, query }: Address,
): Promise<void> {
  const { req } = exchange;
  const address = limitAddress(exchange.ip);
  if (endpoint.scope !== null || endpoint.guarded) refuseBlocked(surface, http, exchange, address);
  const presented: Presented = { header: (name) => req.headers[name] as string | undefined, params, query };
  if (endpoint.limit?.by === 'ip' && !endpoint.uncounted?.(exchange.ctx, presented)) {
    await applyLimit(surface, http, exchange, endpoint.limit, address, null);
  }
  const repeated = repeatedHeader(req.rawHeaders, single);
  if (repeated !== null) throw surface.unreadable(`header ${repeated} is given more than once`, 400);
  const caller = await identify(surface, http, endpoint, exchange, address);
  if (endpoint.limit?.by === 'credential') {
    await applyLimit(surface, http, exchange, endpoint.limit, caller?.limitKey ?? address, caller);
  }
  const body = readBody ? await readBody(exchange) : undefined;
  exchange.seal = surface.sealFor?.(endpoint, { body, query }) ?? null;
  const admitted = await endpoint.admit?.(exchange.ctx, presented);
  const reply = await endpoint.handle(exchange.ctx, {
    admitted,
    params: parse(surface, endpoint.params, params),
    query: parse(surface, endpoint.query, endpoint.query ? singleQuery(surface, query) : undefined),
    headers: parse(surface, endpoint.headers, req.headers),
    body: parse(surface, endpoint.body, body),
    raw: endpoint.rawBody || endpoint.upload ? body : undefined,
  });
  await deliver(surface, http, exchange, reply);
}

/** Sends what the use case replied: bytes, nothing, or JSON in the envelope. */
async function deliver(
  surface: Surface,
  http: HttpRuntime,
  exchange: Exchange,
  { status, body, content }: Reply,
): Promise<void> {
  if (content) {
    const sent = await sendContent(surface, exchange, content);
    tellAnswered(surface, http, exchange, sent.status, sent.code);
    return;
  }
  const answer = content === null ? undefined : surface.success(body);
  await conclude(surface, http, exchange, { status, body: answer, code: null });
}

/** Addresses that tried too many credentials, or that the surface shut out, may not present another one. */
function refuseBlocked(surface: Surface, http: HttpRuntime, exchange: Exchange, address: string): void {
  const out = surface.shutOut?.(exchange.ctx, address);
  if (out) refuseGuesser(surface, exchange, out.rule, out.waitSeconds, null);
  const guesses = surface.failureLimit(exchange.ctx);
  if (!guesses) return;
  refuseGuesser(surface, exchange, guesses, http.failures.blockedSeconds(address, guesses), address);
}

/**
 * Counts a credential that nobody knew and that a use case was shown, after the answer: the answer to it is what it is, and only what
 * comes after it from that address is judged by the count (D19d).
 */
function countGuess(surface: Surface, http: HttpRuntime, { ctx, ip }: Exchange): void {
  const credential = ctx.origin.trail?.unknownCredential;
  const rule = credential === undefined ? null : surface.failureLimit(ctx);
  if (credential === undefined || !rule) return;
  http.failures
    .count(limitAddress(ip), credential, rule)
    .catch((error: unknown) => ctx.log.error({ err: error }, 'an unknown credential was not counted'));
}

/** Sends the answer, sealed when the request asked for that, and tells of it. @param body undefined: there is none */
async function conclude(
  surface: Surface,
  http: HttpRuntime,
  exchange: Exchange,
  { status, body, code }: { status: number; body?: unknown; code: string | null },
): Promise<void> {
  const text = body === undefined ? '' : JSON.stringify(body);
  if (exchange.seal) await addSeal(http, exchange, exchange.seal, { status, text });
  sendText(exchange, status, text);
  countGuess(surface, http, exchange);
  tellAnswered(surface, http, exchange, status, code);
}

/** What was done stays done: without its seal the answer is still the truth, and a caller who needs one refuses it. */
async function addSeal(
  http: HttpRuntime,
  exchange: Exchange,
  seal: Seal,
  answer: { status: number; text: string },
): Promise<void> {
  try {
    Object.assign(exchange.headers, await seal(exchange.ctx, answer));
  } catch (cause) {
    const { requestId, route } = exchange;
    http.root.log.warn({ err: cause, requestId, route }, 'an answer goes out without its seal');
  }
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
        const waitSeconds = await http.failures.count(address, credential, rule);
        refuseGuesser(surface, exchange, rule, waitSeconds, address);
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
function singleQuery(surface: Surface, query: Record<string, unknown>): unknown {
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value))
      throw surface.unreadable(`query parameter ${name} is given more than once`, 400);
  }
  return query;
}

async function fail(surface: Surface, http: HttpRuntime, exchange: Exchange, cause: unknown): Promise<void> {
  const error = toAppError(surface, cause);
  if (error !== cause && !(cause instanceof UnreadableBody)) {
    const level = isUnavailable(cause) ? 'warn' : 'error';
    http.root.log[level](
      { err: cause, requestId: exchange.requestId, route: exchange.route },
      'request failed',
    );
  }
  // A seal may need the database that has just failed to answer: the caller would wait for it a second time.
  if (isUnavailable(cause)) exchange.seal = null;
  if (error.status === 401 && surface.challenge) exchange.headers['WWW-Authenticate'] = surface.challenge;
  const body = surface.failure(error, exchange.requestId);
  await conclude(surface, http, exchange, { status: error.status, body, code: error.code });
}

function toAppError(surface: Surface, cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  if (cause instanceof UnreadableBody) return surface.unreadable(cause.message, cause.status);
  return surface.unexpected();
}
