import type { Ctx } from '#kernel/context.ts';
import type { Tenant } from '#platform/tenants/index.ts';
import * as keyFormats from './key-formats.ts';

/**
 * Looks at a tenant that was changed, in the transaction of the change: the key format which it shall use must be its
 * own.
 *
 * @param change the tenant before and after it
 * @throws AppError NOT_FOUND for a key format that the tenant does not have, which takes the change back
 */
export async function requireOwnFormat(
  ctx: Ctx,
  change: { readonly before?: object | null; readonly after?: object | null },
): Promise<void> {
  const [before, after] = [change.before, change.after] as Tenant[];
  const id = after?.defaultKeyFormatId ?? null;
  if (after === undefined || id === null || id === before?.defaultKeyFormatId) return;
  await keyFormats.get(ctx.with({ tenantId: after.id }), id);
}
