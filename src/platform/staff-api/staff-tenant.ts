import { type Actor, scopeOf } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { fail } from '#kernel/service/errors.ts';
import { idOfSlug, isSuspended } from '../tenants/index.ts';

/**
 * The tenant that a request of staff is about: the one that `X-Tenant` names, else the one that the server is
 * configured for, else the first of those that the actor is confined to.
 *
 * @param request `named`: slug in X-Tenant; `role`: names of the roles that the actor holds, for refusals
 * @throws AppError NOT_FOUND for a tenant that does not exist, or that the actor may not know of (D132);
 *   INSUFFICIENT_SCOPE for its own staff while a tenant is suspended
 */
export async function tenantOfStaff(
  ctx: Ctx,
  actor: Actor,
  { named, role }: { named: string | undefined; role: string },
): Promise<string> {
  const asked = named === undefined ? null : await idOfTenant(ctx, named);
  const own = scopeOf(actor, 'tenant');
  // Staff of the installation may look after a tenant that is closed; its own staff may not.
  if (own === null) return asked ?? ctx.tenantId;
  const tenantId = asked ?? (own.includes(ctx.tenantId) ? ctx.tenantId : own[0]);
  if (tenantId === undefined || !own.includes(tenantId)) throw unknownTenant();
  if (await isSuspended(ctx, tenantId)) {
    throw fail('INSUFFICIENT_SCOPE', 'This tenant is suspended', {
      details: { reason: 'TENANT_SUSPENDED', required: null, role },
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
  fail('NOT_FOUND', 'X-Tenant does not name a tenant that you have access to', {
    details: { header: 'X-Tenant' },
  });
