import type { Ctx } from '#kernel/context.ts';
import * as tenants from '#platform/tenants/index.ts';
import * as keyFormats from './key-formats.ts';

/**
 * Changes a tenant, and makes sure that the key format which it shall use is its own.
 *
 * @throws AppError as `tenants.update`; NOT_FOUND also for a key format of another tenant
 */
export const changeTenant = (
  ctx: Ctx,
  idOrSlug: string,
  input: tenants.TenantUpdateInput,
): Promise<tenants.Tenant> =>
  ctx.tx(async (ctx) => {
    const tenant = await tenants.update(ctx, idOrSlug, input);
    const { defaultKeyFormatId } = tenant;
    if (input.defaultKeyFormatId && defaultKeyFormatId !== null)
      await keyFormats.get(ctx.with({ tenantId: tenant.id }), defaultKeyFormatId);
    return tenant;
  });
