import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { text } from '#kernel/http/fields.ts';
import { goTo, type Page, page } from '#kernel/http/page.ts';
import { isOwnPath } from '#kernel/http/reply.ts';
import { later } from '#kernel/sharing.ts';
import { tenantOfStaff } from '../staff-api/index.ts';
import * as tenants from '../tenants/index.ts';
import { chooseTenant } from './tenant.ts';

/** More are found by their list. */
const MOST = 50;

/** What the panel offers to choose from; null where there is no choice. */
export async function tenantChoice(
  ctx: Ctx,
): Promise<readonly { readonly slug: string; readonly name: string; readonly isChosen: boolean }[] | null> {
  const { items } = await tenants.list(ctx, { page: 1, limit: MOST });
  if (items.length < 2) return null;
  return items.map(({ id, slug, name }) => ({ slug, name, isChosen: id === ctx.tenantId }));
}

/** Chooses the tenant that the panel is about from then on, for this session. */
export const tenantPage: Page = page({
  path: '/admin/tenant',
  title: 'Choose a tenant',
  audience: 'staff',
  form: later(() => z.object({ tenant: text({ min: 1, max: 63 }), next: z.string().max(2000).optional() })),
  show: async () => goTo('/admin/'),
  async submit(ctx, { visitor, form }) {
    // Whoever may not see it is told so now, and not by every page from then on.
    await tenantOfStaff(ctx, visitor.actor, { named: form.tenant, role: '' });
    chooseTenant(visitor.session, form.tenant);
    return goTo(form.next !== undefined && isOwnPath(form.next) ? form.next : '/admin/');
  },
});
