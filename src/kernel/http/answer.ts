import type { z } from 'zod';
import type { Ctx } from '../context.ts';
import { rehearsing } from '../rehearse.ts';
import { isOn } from '../settings-reader.ts';
import { limitAddress } from './client-address.ts';
import { deliver } from './conclude.ts';
import type { Endpoint, Presented } from './endpoint.ts';
import type { Exchange } from './exchange.ts';
import { identify, requireOwn } from './identify.ts';
import { applyLimit, refuseGuesser } from './limit.ts';
import { emailKey } from './limit-key.ts';
import { openLive } from './open-live.ts';
import type { RateLimit } from './rate-limit.ts';
import { repeatedHeader } from './repeated-headers.ts';
import type { HttpRuntime } from './runtime.ts';
import type { Surface } from './surface.ts';
import type { Visitors } from './visitors.ts';

/** What the router read out of the address. */
export interface Address {
  params: unknown;
  query: Record<string, unknown>;
}

/** An endpoint and what was made of its declaration when it was mounted. */
export interface Mounted {
  readonly endpoint: Endpoint;
  readonly readBody: BodyReader | null;
  /** Headers that may come once. */
  readonly single: () => ReadonlySet<string>;
  /** Knows browsers by their session, where the surface takes those. */
  readonly visitors: Visitors;
}

export type BodyReader = (exchange: Exchange) => Promise<unknown>;

/** Known before a credential, or only when the body was read. */
const KEYED_OTHERWISE: readonly RateLimit['by'][] = ['ip', 'email'];

/** The one path of a request (architecture section 4; order of checks: storefront-settled Z1). */
export async function answer(
  surface: Surface,
  http: HttpRuntime,
  { endpoint, readBody, single, visitors }: Mounted,
  exchange: Exchange,
  { params, query }: Address,
): Promise<void> {
  const { req } = exchange;
  if (!isOn(endpoint, exchange.ctx)) throw surface.switchedOff?.() ?? surface.notFound();
  const address = limitAddress(exchange.ip);
  if (endpoint.scope !== null || endpoint.guarded) refuseBlocked(surface, http, exchange, address);
  const presented: Presented = { header: (name) => req.headers[name] as string | undefined, params, query };
  if (endpoint.limit?.by === 'ip' && !endpoint.uncounted?.(exchange.ctx, presented)) {
    await applyLimit(surface, http, exchange, endpoint.limit, address, null);
  }
  endpoint.requireRoom?.(exchange.ctx);
  const repeated = repeatedHeader(req.rawHeaders, single());
  if (repeated !== null) throw surface.unreadable(`header ${repeated} is given more than once`, 400);
  const { caller, visitor } = await identify(surface, http, visitors, endpoint, exchange);
  if (endpoint.limit && !KEYED_OTHERWISE.includes(endpoint.limit.by)) {
    const key = caller?.limitKey ?? (endpoint.customer && visitor?.actor.id) ?? address;
    await applyLimit(surface, http, exchange, endpoint.limit, key, caller);
  }
  if (visitor) requireOwn(surface, endpoint, exchange, visitor);
  if (caller) await surface.authorize?.(exchange.ctx, caller, endpoint);
  const ctx = rehearsed(surface, endpoint, exchange);
  const body = readBody ? await readBody(exchange) : undefined;
  if (caller && endpoint.sudoFor?.(body)) surface.requireProof?.(exchange.ctx, caller);
  const { limit } = endpoint;
  if (limit?.by === 'email')
    await applyLimit(surface, http, exchange, limit, emailKey(exchange.ctx, body) ?? address, caller);
  exchange.seal = surface.sealFor?.(endpoint, { body, query }) ?? null;
  const admitted = await endpoint.admit?.(exchange.ctx, presented);
  const reply = await endpoint.handle(ctx, {
    admitted,
    params: parse(surface, endpoint.params, params),
    query: parse(surface, endpoint.query, endpoint.query ? singleQuery(surface, query) : undefined),
    headers: parse(surface, endpoint.headers, req.headers),
    body: parse(surface, endpoint.body, body),
    raw: endpoint.rawBody || endpoint.upload ? body : undefined,
    visitor,
    live: endpoint.live && openLive(surface, http, visitors, endpoint, exchange),
  });
  await visitor?.settle();
  await deliver(surface, http, exchange, reply);
}

/** Addresses that tried too many credentials, or that the surface shut out, may not present another one. */
function refuseBlocked(surface: Surface, http: HttpRuntime, exchange: Exchange, address: string): void {
  const out = surface.shutOut?.(exchange.ctx, address);
  if (out) refuseGuesser(surface, exchange, out.rule, out.waitSeconds, null);
  const guesses = surface.failureLimit(exchange.ctx);
  if (!guesses) return;
  refuseGuesser(surface, exchange, guesses, http.failures.blockedSeconds(address, guesses), address);
}

/** Where the work is done: in transactions that are rolled back, when the request asks for a rehearsal. */
function rehearsed(surface: Surface, endpoint: Endpoint, { req, ctx, headers }: Exchange): Ctx {
  const asked = surface.rehearses && endpoint.method !== 'get' ? req.headers['dry-run'] : undefined;
  if (asked === undefined || asked === 'false') return ctx;
  if (asked !== 'true') throw surface.unmet('Dry-Run', 'must be true or false', 400);
  if (!endpoint.rehearsable)
    throw surface.unmet('Dry-Run', 'this operation has no dry run: leave the header out', 400);
  headers['Dry-Run'] = 'true';
  return rehearsing(ctx);
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
