import type { z } from 'zod';
import { isOn } from '../settings-reader.ts';
import { limitAddress } from './client-address.ts';
import { deliver } from './conclude.ts';
import { allowOrigin } from './cors.ts';
import type { Endpoint, Presented } from './endpoint.ts';
import type { Exchange } from './exchange.ts';
import { applyLimit, refuseGuesser } from './limit.ts';
import { emailKey } from './limit-key.ts';
import type { RateLimit } from './rate-limit.ts';
import { repeatedHeader } from './repeated-headers.ts';
import type { HttpRuntime } from './runtime.ts';
import type { Caller, Surface } from './surface.ts';

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
  readonly single: ReadonlySet<string>;
}

export type BodyReader = (exchange: Exchange) => Promise<unknown>;

/** Known before a credential, or only when the body was read. */
const KEYED_OTHERWISE: readonly RateLimit['by'][] = ['ip', 'email'];

/** The one path of a request (architecture section 4). */
export async function answer(
  surface: Surface,
  http: HttpRuntime,
  { endpoint, readBody, single }: Mounted,
  exchange: Exchange,
  { params, query }: Address,
): Promise<void> {
  const { req } = exchange;
  if (!isOn(endpoint, exchange.ctx)) throw surface.notFound();
  const address = limitAddress(exchange.ip);
  if (endpoint.scope !== null || endpoint.guarded) refuseBlocked(surface, http, exchange, address);
  const presented: Presented = { header: (name) => req.headers[name] as string | undefined, params, query };
  if (endpoint.limit?.by === 'ip' && !endpoint.uncounted?.(exchange.ctx, presented)) {
    await applyLimit(surface, http, exchange, endpoint.limit, address, null);
  }
  const repeated = repeatedHeader(req.rawHeaders, single);
  if (repeated !== null) throw surface.unreadable(`header ${repeated} is given more than once`, 400);
  const caller = await identify(surface, http, endpoint, exchange, address);
  if (endpoint.limit && !KEYED_OTHERWISE.includes(endpoint.limit.by)) {
    await applyLimit(surface, http, exchange, endpoint.limit, caller?.limitKey ?? address, caller);
  }
  const body = readBody ? await readBody(exchange) : undefined;
  if (endpoint.limit?.by === 'email') {
    await applyLimit(
      surface,
      http,
      exchange,
      endpoint.limit,
      emailKey(exchange.ctx, body) ?? address,
      caller,
    );
  }
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

/** Addresses that tried too many credentials, or that the surface shut out, may not present another one. */
function refuseBlocked(surface: Surface, http: HttpRuntime, exchange: Exchange, address: string): void {
  const out = surface.shutOut?.(exchange.ctx, address);
  if (out) refuseGuesser(surface, exchange, out.rule, out.waitSeconds, null);
  const guesses = surface.failureLimit(exchange.ctx);
  if (!guesses) return;
  refuseGuesser(surface, exchange, guesses, http.failures.blockedSeconds(address, guesses), address);
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
  allowOrigin(surface, exchange, caller);
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
