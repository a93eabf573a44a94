import { allows } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import type { Gathered } from '#kernel/gather.ts';
import { type Endpoint, withMore } from '#kernel/http/endpoint.ts';
import type { Caller, IncomingRequest, Surface } from '#kernel/http/surface.ts';
import { limitsInForce } from '#kernel/service/limits-in-force.ts';
import * as apiKeys from '#platform/api-keys/index.ts';
import {
  authenticateStaff,
  authorizeStaff,
  mayWorkForShop,
  NOT_OF_THE_SHOP,
  OWN_ACCOUNT,
  requireProof,
  type StaffCaller,
} from '#platform/staff-api/index.ts';
import { storeAnswers, storeFail } from '#platform/store-answers/index.ts';
import { DEFAULT_TENANT_ID } from '#platform/tenants/index.ts';
import { storeContract } from './contract/document.ts';
import { limits, storeLimits } from './contract/limits.ts';
import { isScope } from './contract/scopes.ts';

/** JSON bodies of the store are at most this large (storefront-api.md 1.6). */
const BODY_BYTES = 1024 * 1024;

const refusals: Record<apiKeys.Refusal, string> = {
  UNKNOWN: 'The API key is not valid',
  REVOKED: 'The API key has been revoked',
  EXPIRED: 'The API key has expired',
  IP_NOT_ALLOWED: 'This address is not allowed to use the API key',
};

/**
 * The store's API: public endpoints under /api/shop, those of staff and their programs under /api/store, the envelope
 * and the seven codes of the specification (storefront-api.md 1).
 *
 * @param gathered of all capabilities
 * @param switchedOff `APPCTL_RATE_LIMIT=off`: no limit of this surface applies
 */
export function storeSurface(
  gathered: Pick<Gathered, 'storeEndpoints' | 'answered' | 'resources'>,
  switchedOff: boolean,
): Surface {
  const tags = Object.assign({}, ...gathered.resources.map((one) => one.tags('store')));
  return {
    name: 'store',
    service: 'store',
    title: 'Store API',
    rehearses: true,
    contract: storeContract(tags),
    prefixes: ['/api/shop', '/api/store'],
    bodyBytes: BODY_BYTES,
    endpoints: gathered.storeEndpoints.map(counted),
    challenge: 'Bearer',
    authenticate,
    authorize,
    requireProof: (ctx, caller) => requireProof(ctx, caller as StaffCaller),
    sessions: {
      signedOut: (message, reason) =>
        storeFail('AUTH_UNAUTHORIZED', message, reason === undefined ? {} : { details: { reason } }),
      foreign: (message) => storeFail('AUTH_FORBIDDEN', message, { details: { reason: 'CSRF' } }),
    },
    ...limitsInForce(storeLimits, switchedOff),
    ...storeAnswers,
    answered: gathered.answered,
  };
}

/** What needs a credential counts against it, unless it says how itself: resources do not. */
const counted = (one: Endpoint): Endpoint =>
  one.scope === null || one.limit !== null ? one : withMore(one, { limit: limits.staff });

/** An API key of the store, an admin token, or the session of the panel (spec, Authentication). */
function authenticate(ctx: Ctx, request: IncomingRequest, scope: string): Promise<Caller> {
  // RFC 9110: the name of a scheme is case-insensitive.
  const secret = /^bearer +(ask_\S+)$/i.exec(request.header('authorization') ?? '')?.[1];
  return secret === undefined ? byStaff(ctx, request, scope) : byKey(ctx, request, secret);
}

async function byKey(ctx: Ctx, request: IncomingRequest, secret: string): Promise<Caller> {
  const identity = await apiKeys.authenticate(ctx, 'store', secret, request.ip);
  if (typeof identity === 'string') {
    if (identity === 'UNKNOWN') await request.countUnknownCredential(secret);
    const code = identity === 'IP_NOT_ALLOWED' ? 'AUTH_FORBIDDEN' : 'AUTH_UNAUTHORIZED';
    throw storeFail(code, refusals[identity]);
  }
  const { id, name, scopes, tenantId, limits, allowedOrigins } = identity;
  return {
    actor: { kind: 'api_key', id, label: name, permissions: scopes },
    tenantId,
    limitKey: id,
    limits,
    allowedOrigins,
  };
}

/** As staff of the tenant that the shop belongs to; the own account is everybody's who signed in. */
async function byStaff(ctx: Ctx, request: IncomingRequest, scope: string): Promise<Caller> {
  const caller = await authenticateStaff(ctx, request, 'API key or admin token');
  if (scope !== OWN_ACCOUNT && !mayWorkForShop(caller.actor))
    throw storeFail('AUTH_FORBIDDEN', NOT_OF_THE_SHOP);
  return { ...caller, tenantId: DEFAULT_TENANT_ID };
}

/** An API key knows the ten scopes only: where staff needs another permission, the endpoint names the key's beside it. */
function authorize(ctx: Ctx, caller: Caller, endpoint: Endpoint): void {
  const { scope, orScope = scope } = endpoint;
  const isKey = caller.actor.kind === 'api_key';
  if (!isKey) authorizeStaff(ctx, caller as StaffCaller, staffOnly(endpoint));
  if (!isKey || scope === null || (orScope !== null && allows(caller.actor, orScope))) return;
  const message =
    orScope !== null && isScope(orScope)
      ? `This needs an API key with the scope ${orScope}`
      : 'API keys cannot do this: use an admin token or the panel';
  throw storeFail('AUTH_FORBIDDEN', message, { details: { required: orScope } });
}

/** What opens an endpoint for a key opens it for nobody else. */
const staffOnly = ({ orScope: _ofKeys, ...endpoint }: Endpoint): Endpoint => endpoint;
