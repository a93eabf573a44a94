import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import type { Gathered } from '#kernel/gather.ts';
import type { Caller, IncomingRequest, Surface } from '#kernel/http/surface.ts';
import { answers } from '#kernel/service/answers.ts';
import { fail } from '#kernel/service/errors.ts';
import { limitsInForce, type ServiceLimits } from '#kernel/service/limits-in-force.ts';
import * as adminTokens from '../admin-tokens/index.ts';
import { type Permission, permits } from '../permissions/index.ts';
import { idOfSlug, isSuspended } from '../tenants/index.ts';
import { adminContract, type ErrorTable } from './contract.ts';

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
  if (!permits(bearer.role, needed as Permission)) {
    throw fail('INSUFFICIENT_SCOPE', `This needs the permission ${needed}, which role ${bearer.role} lacks`, {
      details: { required: needed, role: bearer.role },
    });
  }
  return {
    actor: {
      kind: 'admin',
      id: bearer.id,
      label: bearer.name,
      ...(bearer.tenantId === null && { isInstanceWide: true }),
    },
    tenantId: await tenantOf(ctx, bearer, request.header('x-tenant')),
    limitKey: bearer.id,
    limits: null,
    allowedOrigins: [],
  };
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

/**
 * The tenant that a request is about: the token's own, or with a token of the whole installation the one that
 * `X-Tenant` names, else the one that the server is configured for.
 *
 * @param named slug in X-Tenant
 * @throws AppError NOT_FOUND for a tenant that does not exist, or that is not the token's (D132)
 */
async function tenantOf(ctx: Ctx, bearer: adminTokens.Bearer, named: string | undefined): Promise<string> {
  const asked = named === undefined ? null : await idOfTenant(ctx, named);
  const { tenantId } = bearer;
  // Staff of the installation may look after a tenant that is closed; its own staff may not.
  if (tenantId === null) return asked ?? ctx.tenantId;
  if (asked !== null && asked !== tenantId) throw unknownTenant();
  if (await isSuspended(ctx, tenantId)) {
    throw fail('INSUFFICIENT_SCOPE', 'The tenant of this admin token is suspended', {
      details: { reason: 'TENANT_SUSPENDED', required: null, role: bearer.role },
    });
  }
  return tenantId;
}

/** One text for a tenant that does not exist and for one that is somebody else's. */
async function idOfTenant(ctx: Ctx, slug: string): Promise<string> {
  try {
    return await idOfSlug(ctx, slug);
  } catch (error) {
    throw error instanceof AppError ? unknownTenant() : error;
  }
}

const unknownTenant = (): AppError =>
  fail('NOT_FOUND', 'X-Tenant names no tenant that this admin token acts for');
