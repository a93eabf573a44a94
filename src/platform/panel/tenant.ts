import type { Ctx } from '#kernel/context.ts';
import type { Session, Visitor } from '#kernel/http/visitor.ts';
import { tenantOfStaff } from '../staff-api/index.ts';

/** Under which a session keeps the slug of the tenant that somebody chose. */
const NAME = 'tenant';

/**
 * The tenant that somebody works for in the panel: the one that was chosen there, else as for the admin API.
 *
 * @throws AppError NOT_FOUND, INSUFFICIENT_SCOPE while the tenant is suspended
 */
export function panelTenant(ctx: Ctx, { actor, session }: Visitor): Promise<string> {
  const chosen = session.read(NAME);
  return tenantOfStaff(ctx, actor, { named: typeof chosen === 'string' ? chosen : undefined, role: '' });
}

/** @param slug of a tenant that the visitor may see */
export const chooseTenant = (session: Session, slug: string): void => session.write(NAME, slug);
