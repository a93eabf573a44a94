import type { Ctx } from '#kernel/context.ts';
import * as tenants from '#platform/tenants/index.ts';
import * as keyFormats from './key-formats.ts';

/**
 * Looks at a tenant that was changed, in the transaction of the change: the key format which it shall use must be its
 * own.
 *
 * @param change as the timeline has it
 * @throws AppError NOT_FOUND for a key format that the tenant does not have, which takes the change back
 */
export async function requireOwnFormat(
  ctx: Ctx,
  { subject, diff }: { subject: string; diff?: Record<string, unknown> },
): Promise<void> {
  if (diff === undefined || !('defaultKeyFormatId' in diff)) return;
  const { id: tenantId, defaultKeyFormatId } = await tenants.get(ctx, subject);
  if (defaultKeyFormatId !== null) await keyFormats.get(ctx.with({ tenantId }), defaultKeyFormatId);
}
