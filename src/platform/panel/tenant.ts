import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import type { Page } from '#kernel/http/page.ts';
import type { Session, Visitor } from '#kernel/http/visitor.ts';
import { mayWorkForShop, NOT_OF_THE_SHOP, tenantOfStaff } from '../staff-api/index.ts';
import { DEFAULT_TENANT_ID } from '../tenants/index.ts';

/** Under which a session keeps the slug of the tenant that somebody chose. */
const NAME = 'tenant';

/** Whether a path is that of a page of the shop's part of the panel. */
export const isOfShop = (path: string): boolean => path === '/store' || path.startsWith('/store/');

/**
 * The tenant that somebody works for in the panel: the shop's on its pages, elsewhere the one that was chosen, else as
 * for the admin API.
 *
 * @throws AppError NOT_FOUND, INSUFFICIENT_SCOPE while the tenant is suspended; AUTH_FORBIDDEN on the shop's pages for
 *   staff of other tenants
 */
export async function panelTenant(ctx: Ctx, { actor, session }: Visitor, page: Page): Promise<string> {
  if (isOfShop(page.path)) {
    if (!mayWorkForShop(actor)) throw new AppError('AUTH_FORBIDDEN', 403, NOT_OF_THE_SHOP);
    return DEFAULT_TENANT_ID;
  }
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
