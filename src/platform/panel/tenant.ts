import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import type { Session, Visitor } from '#kernel/http/visitor.ts';
import { tenantOfStaff } from '../staff-api/index.ts';

/** Under which a session keeps the slug of the tenant that somebody chose. */
const NAME = 'tenant';

/**
 * The tenant that somebody works for in the panel: the one that was chosen there, else as for the admin API.
 *
 * @throws AppError NOT_FOUND, INSUFFICIENT_SCOPE while the tenant is suspended
 */
export async function panelTenant(ctx: Ctx, { actor, session }: Visitor): Promise<string> {
  const chosen = session.read(NAME);
  if (typeof chosen !== 'string') return tenantOfStaff(ctx, actor, { named: undefined, role: '' });
  try {
    return await tenantOfStaff(ctx, actor, { named: chosen, role: '' });
  } catch (error) {
    if (!(error instanceof AppError && error.status === 404)) throw error;
    // Whoever lost the tenant that was chosen goes on in another one, where its forms would do something else.
    chooseTenant(session, undefined);
    return tenantOfStaff(ctx, actor, { named: undefined, role: '' });
  }
}

/**
 * Forms that other tabs hold of the tenant before are refused from then on.
 *
 * @param slug of a tenant that the visitor may see; undefined for the usual one
 */
export function chooseTenant(session: Session, slug: string | undefined): void {
  session.write(NAME, slug);
  session.endForms();
}
