import type { Actor } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import type { IncomingRequest } from '#kernel/http/surface.ts';
import { fail } from '#kernel/service/errors.ts';
import * as adminTokens from '../admin-tokens/index.ts';
import { reachOf } from '../roles/index.ts';
import { proofOf } from '../sessions/index.ts';
import type { StaffCaller } from './authorize.ts';
import { tenantOfStaff } from './staff-tenant.ts';

const refusals: Record<Exclude<adminTokens.Refusal, 'UNKNOWN'>, string> = {
  REVOKED: 'The admin token has been revoked',
  EXPIRED: 'The admin token has expired',
};

/**
 * Who calls the admin API. A present Authorization header decides alone, also beside a valid cookie (A155).
 *
 * @param accepted what the surface takes as a bearer, for refusals
 * @throws AppError UNAUTHORIZED
 */
export const authenticate = (
  ctx: Ctx,
  request: IncomingRequest,
  accepted = 'admin token',
): Promise<StaffCaller> =>
  request.header('authorization') === undefined
    ? bySession(ctx, request, accepted)
    : byToken(ctx, request, accepted);

async function bySession(ctx: Ctx, request: IncomingRequest, accepted: string): Promise<StaffCaller> {
  const visitor = await request.visit();
  const { actor, session } = visitor;
  if (session.pending !== null) {
    throw fail('UNAUTHORIZED', 'Finish signing in with the second factor', {
      details: { reason: 'TWO_FACTOR_REQUIRED' },
    });
  }
  if (actor.kind !== 'staff' || actor.id === null)
    throw fail('UNAUTHORIZED', `Sign in, or send Authorization: Bearer <${accepted}>`);
  return {
    ...(await callerOf(ctx, request, actor, undefined)),
    limitKey: actor.id,
    owes: visitor.owes,
    passwordProvenAt: proofOf(session, actor.id),
    visitor,
  };
}

async function byToken(ctx: Ctx, request: IncomingRequest, accepted: string): Promise<StaffCaller> {
  const bearer = await identify(ctx, request, accepted);
  const role = bearer.roles.join(', ');
  return {
    ...(await callerOf(ctx, request, actorOf(bearer), role)),
    limitKey: bearer.id,
    owes: bearer.owes,
    role,
    ...(bearer.userId !== null && { passwordProvenAt: bearer.passwordProvenAt }),
  };
}

/** @param role of a token, for what it is told */
const callerOf = async (
  ctx: Ctx,
  request: IncomingRequest,
  actor: Actor,
  role: string | undefined,
): Promise<Omit<StaffCaller, 'limitKey' | 'owes'>> => ({
  actor,
  tenantId: await tenantOfStaff(ctx, actor, { named: request.header('x-tenant'), role: role ?? '' }),
  limits: null,
  allowedOrigins: [],
});

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

async function identify(ctx: Ctx, request: IncomingRequest, accepted: string): Promise<adminTokens.Bearer> {
  const header = request.header('authorization') ?? '';
  // RFC 9110: the name of a scheme is case-insensitive.
  const secret = /^bearer +(\S+)$/i.exec(header)?.[1];
  if (secret === undefined) throw fail('UNAUTHORIZED', `Authorization must be Bearer <${accepted}>`);
  const bearer = await adminTokens.authenticate(ctx, secret);
  if (typeof bearer !== 'string') return bearer;
  if (bearer === 'UNKNOWN') await request.countUnknownCredential(secret);
  // Of which kind an unknown one was meant to be, nobody can tell.
  const says = bearer === 'UNKNOWN' ? `The ${accepted} is not valid` : refusals[bearer];
  throw fail('UNAUTHORIZED', says, { details: { reason: bearer } });
}
