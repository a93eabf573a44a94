import type { Ctx } from '#kernel/context.ts';
import { lock, reread } from '../locked.ts';
import type { License } from '../queries.ts';
import type { SetInput } from './schemas.ts';
import { update } from './update.ts';

/**
 * Sets what many licenses shall have in common. Features are added to those that each has; tags are texts in its
 * metadata under `tags`.
 *
 * @throws AppError as `update`; VALIDATION_ERROR where `tags` is something else in the metadata
 */
export async function set(ctx: Ctx, licenseId: string, input: SetInput): Promise<License> {
  const { addFeatures, addTags, removeTags, ...fields } = input;
  return ctx.tx(async (ctx) => {
    await lock(ctx, licenseId);
    const { features, metadata } = await reread(ctx, licenseId);
    const { license } = await update(ctx, licenseId, {
      ...fields,
      ...(addFeatures && { features: { ...features, ...addFeatures } }),
      ...((addTags ?? removeTags) && { metadata: { ...metadata, tags: tagged(metadata.tags, input) } }),
    } as Parameters<typeof update>[2]);
    return license;
  });
}

function tagged(before: unknown, { addTags = [], removeTags = [] }: SetInput): string[] {
  const own = Array.isArray(before) ? before.map(String) : [];
  return [...new Set([...own, ...addTags])].filter((tag) => !removeTags.includes(tag)).sort();
}
