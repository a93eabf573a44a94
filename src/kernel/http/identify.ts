import { limitAddress } from './client-address.ts';
import { allowOrigin } from './cors.ts';
import type { Endpoint } from './endpoint.ts';
import type { Exchange } from './exchange.ts';
import { refuseGuesser } from './limit.ts';
import type { HttpRuntime } from './runtime.ts';
import type { Caller, SessionManner, Surface } from './surface.ts';
import type { Visitor } from './visitor.ts';
import type { Visitors } from './visitors.ts';

/** Who sent a request, as far as its endpoint wants to know. */
export interface Known {
  readonly caller: Caller | null;
  /** The browser that sent it; null where a credential in a header counts. */
  readonly visitor: Visitor | null;
}

const NOBODY: Known = { caller: null, visitor: null };

/**
 * Finds out who calls: by the surface's credential, or by the session of a browser.
 *
 * @throws the surface's 401, and 403 of a surface that judges the scope here
 */
export async function identify(
  surface: Surface,
  http: HttpRuntime,
  visitors: Visitors,
  endpoint: Endpoint,
  exchange: Exchange,
): Promise<Known> {
  if (endpoint.scope !== null) return known(surface, http, visitors, endpoint.scope, exchange);
  if (!endpoint.session) return NOBODY;
  // It would decide alone, and nothing here takes one.
  if (exchange.req.headers.authorization !== undefined)
    throw mannerOf(surface).signedOut(
      'This operation works with the session cookie: send no Authorization header',
    );
  const visitor = await visitors.visit(exchange);
  const acting = endpoint.customer ? asCustomer(surface, visitor) : visitor;
  exchange.ctx = exchange.ctx.with({ actor: acting.actor, tenantId: acting.tenantId });
  return { caller: null, visitor: acting };
}

/** The visitor as the customer who signed in, also where the same browser acts for staff (decision 0083). */
function asCustomer(surface: Surface, visitor: Visitor): Visitor {
  const { customer, session } = visitor;
  if (customer) return { ...visitor, actor: customer };
  throw session.pendingCustomer
    ? mannerOf(surface).signedOut('Enter the two-factor code first', 'TWO_FACTOR_REQUIRED')
    : mannerOf(surface).signedOut('Sign in as a customer first');
}

async function known(
  surface: Surface,
  http: HttpRuntime,
  visitors: Visitors,
  scope: string,
  exchange: Exchange,
): Promise<Known> {
  const { req } = exchange;
  const address = limitAddress(exchange.ip);
  const caller = await surface.authenticate(
    exchange.ctx,
    {
      ip: exchange.ip,
      header: (name) => req.headers[name] as string | undefined,
      visit: () => visitors.visit(exchange),
      countUnknownCredential: async (credential) => {
        const rule = surface.failureLimit(exchange.ctx);
        if (!rule) return;
        // Guesses that came together all passed the first look: each is judged again by its own place in the count.
        const waitSeconds = await http.failures.count(address, credential, rule);
        refuseGuesser(surface, exchange, rule, waitSeconds, address);
      },
    },
    scope,
  );
  exchange.ctx = exchange.ctx.with({
    actor: caller.actor,
    tenantId: caller.tenantId,
  });
  allowOrigin(surface, exchange, caller);
  return { caller, visitor: caller.visitor ?? null };
}

/**
 * Demands of a write by cookie that the pages of this installation sent it (M16).
 *
 * @throws the surface's 403
 */
export function requireOwn(
  surface: Surface,
  { method, session = 'token' }: Endpoint,
  { req }: Exchange,
  visitor: Visitor,
): void {
  if (method === 'get') return;
  if (visitor.isFromElsewhere)
    throw mannerOf(surface).foreign('Nothing was changed: a page of another site sent this request');
  if (session === 'origin' || visitor.accepts(req.headers['x-csrf-token'] as string | undefined)) return;
  throw mannerOf(surface).foreign(
    'Nothing was changed: send the CSRF token of this session in the header X-CSRF-Token',
  );
}

function mannerOf({ name, sessions }: Surface): SessionManner {
  if (!sessions) throw new Error(`the surface ${name} takes no sessions`);
  return sessions;
}
