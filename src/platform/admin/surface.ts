import { type Actor, allows } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import type { Gathered } from '#kernel/gather.ts';
import type { Caller, IncomingRequest, Surface } from '#kernel/http/surface.ts';
import { answers } from '#kernel/service/answers.ts';
import { fail } from '#kernel/service/errors.ts';
import { limitsInForce, type ServiceLimits } from '#kernel/service/limits-in-force.ts';
import * as adminTokens from '../admin-tokens/index.ts';
import { reachOf } from '../roles/index.ts';
import { adminContract, type ErrorTable } from './contract.ts';
import { tenantOfStaff } from './staff-tenant.ts';

const BODY_BYTES = 512 * 1024;

const refusals: Record<adminTokens.Refusal, string> = {
  UNKNOWN: 'The admin token is not valid',
  REVOKED: 'The admin token has been revoked',
  EXPIRED: 'The admin token has expired',
};

/**
 * The admin API: bearer tokens, permissions by role, the envelope of the license API
 * (licensing 4.1). Requests with an Authorization header never read a cookie (admin.md 7).
 *
 * @param gathered of all capabilities; the scope of each endpoint is the permission that it asks for
 * @param services the codes and the limits of the services that stand on it
 * @param switchedOff `APPCTL_RATE_LIMIT=off`: guessed tokens are not counted
 */
export function adminSurface(
  gathered: Pick<Gathered, 'adminEndpoints' | 'answered'>,
  services: { errors: ErrorTable; limits: ServiceLimits },
  switchedOff: boolean,
): Surface {
  return {
    name: 'admin',
    service: 'license',
    title: 'License admin API',
    contract: adminContract(services.errors),
    prefixes: ['/api/v1/admin'],
    bodyBytes: BODY_BYTES,
    endpoints: gathered.adminEndpoints,
    challenge: 'Bearer',
    authenticate,
    ...limitsInForce(services.limits, switchedOff),
    ...answers,
    answered: gathered.answered,
  };
}

async function authenticate(ctx: Ctx, request: IncomingRequest, needed: string): Promise<Caller> {
  const bearer = await identify(ctx, request);
  const actor = actorOf(bearer);
  const role = bearer.roles.join(', ');
  if (!allows(actor, needed)) {
    throw fail('INSUFFICIENT_SCOPE', `This needs the permission ${needed}, which role ${role} lacks`, {
      details: { required: needed, role },
    });
  }
  return {
    actor,
    tenantId: await tenantOfStaff(ctx, actor, { named: request.header('x-tenant'), role }),
    limitKey: bearer.id,
    limits: null,
    allowedOrigins: [],
  };
}

/** A token of a tenant is confined to it as staff of the tenant is. */
function actorOf({ id, label, userId, tenantId, permissions, scopes }: adminTokens.Bearer): Actor {
  const reach = reachOf({
    permissions,
    scopes: tenantId === null ? scopes : { ...scopes, tenant: [tenantId] },
  });
  return userId === null
    ? { kind: 'admin', id, label, ...reach }
    : { kind: 'admin', id: userId, label, tokenId: id, ...reach };
}

async function identify(ctx: Ctx, request: IncomingRequest): Promise<adminTokens.Bearer> {
  const header = request.header('authorization');
  if (header === undefined) throw fail('UNAUTHORIZED', 'Authorization: Bearer <admin token> is required');
  // RFC 9110: the name of a scheme is case-insensitive.
  const secret = /^bearer +(\S+)$/i.exec(header)?.[1];
  if (secret === undefined) throw fail('UNAUTHORIZED', 'Authorization must be Bearer <admin token>');
  const bearer = await adminTokens.authenticate(ctx, secret);
  if (typeof bearer !== 'string') return bearer;
  if (bearer === 'UNKNOWN') await request.countUnknownCredential(secret);
  throw fail('UNAUTHORIZED', refusals[bearer], { details: { reason: bearer } });
}
