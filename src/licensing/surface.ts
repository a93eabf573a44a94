import type { Ctx } from '#kernel/context.ts';
import type { Gathered } from '#kernel/gather.ts';
import type { Caller, IncomingRequest, Surface } from '#kernel/http/surface.ts';
import { answers } from '#kernel/service/answers.ts';
import { limitsInForce, ruleInForce } from '#kernel/service/limits-in-force.ts';
import * as apiKeys from '#platform/api-keys/index.ts';
import { isSuspended } from '#platform/tenants/index.ts';
import { licensingContract } from './contract/document.ts';
import type { ApiKeyScope } from './contract/enumerations.ts';
import { fail } from './contract/errors.ts';
import { limits } from './contract/limits.ts';
import { type Access, accesses, scopeAllows } from './contract/scopes.ts';
import { licensingLimits, readOnlyMayValidate } from './contract/settings.ts';

/** JSON bodies of the license API are at most this large; create-bulk has its own bound (D4). */
const BODY_BYTES = 512 * 1024;

const refusals = {
  UNKNOWN: 'INVALID_API_KEY',
  REVOKED: 'API_KEY_REVOKED',
  EXPIRED: 'API_KEY_EXPIRED',
  IP_NOT_ALLOWED: 'IP_NOT_ALLOWED',
} as const satisfies Record<apiKeys.Refusal, string>;

/**
 * The license API: X-API-Key, the spec's envelope, the buckets of D15.
 *
 * @param gathered of all capabilities
 * @param switchedOff `APPCTL_RATE_LIMIT=off`: no limit of this surface applies
 */
export function licensingSurface(gathered: Gathered, switchedOff: boolean): Surface {
  return {
    name: 'licensing',
    service: 'license',
    title: 'License API',
    contract: licensingContract,
    prefixes: ['/api'],
    bodyBytes: BODY_BYTES,
    endpoints: gathered.endpoints,
    sealFor: gathered.sealFor,
    authenticate,
    cors: {
      requestHeaders: ['X-API-Key', 'X-License-Key', 'X-Idempotency-Key'],
      answerHeaders: ['X-Response-Date', 'X-Response-Signature', 'X-Response-Delegation'],
      opensTo: (ctx, origin) => apiKeys.opensTo(ctx, 'license', origin),
    },
    ...limitsInForce(licensingLimits, switchedOff),
    ...answers,
    shutOut: (ctx, address) => {
      const waitSeconds = gathered.shutOutSeconds(ctx, address);
      // As if it had guessed too often (D19d): the answer must not tell why.
      return waitSeconds === 0
        ? null
        : { rule: ruleInForce(ctx, licensingLimits, limits.failures, null), waitSeconds };
    },
    answered: gathered.answered,
  };
}

async function authenticate(ctx: Ctx, request: IncomingRequest, needed: string): Promise<Caller> {
  const secret = request.header('x-api-key');
  if (!secret) throw fail('API_KEY_REQUIRED');
  const identity = await apiKeys.authenticate(ctx, 'license', secret, request.ip);
  if (typeof identity === 'string') {
    if (identity === 'UNKNOWN') await request.countUnknownCredential(secret);
    throw fail(refusals[identity]);
  }
  await checkScope(ctx, identity, needed as Access);
  return {
    actor: {
      kind: 'api_key',
      id: identity.id,
      label: identity.name,
      ...(identity.productIds && { scopes: { license_product: identity.productIds } }),
    },
    tenantId: identity.tenantId,
    limitKey: identity.id,
    limits: identity.limits,
    allowedOrigins: identity.allowedOrigins,
  };
}

async function checkScope(ctx: Ctx, identity: apiKeys.Identity, needed: Access): Promise<void> {
  const scope = identity.scope as ApiKeyScope;
  if (!scopeAllows(scope, needed, ctx.settings.get(readOnlyMayValidate))) {
    const required = accesses[needed].least;
    throw fail(
      'INSUFFICIENT_SCOPE',
      `This needs an API key of scope ${required} or higher; this one has ${scope}`,
      {
        details: { required, actual: scope },
      },
    );
  }
  if (await isSuspended(ctx, identity.tenantId)) {
    throw fail('INSUFFICIENT_SCOPE', 'The tenant of this API key is suspended', {
      details: { reason: 'TENANT_SUSPENDED', required: null, actual: scope },
    });
  }
}
