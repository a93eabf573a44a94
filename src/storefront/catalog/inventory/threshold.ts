import type { Ctx } from '#kernel/context.ts';
import { lowStockThreshold } from '#storefront/contract/settings.ts';
import { storedThreshold } from './queries.ts';
import { nextVersion, restate } from './repository.ts';

/**
 * The threshold of the settings is another one: what is low with it is found so from this transaction on. Nobody is told
 * of each variant, since none of them fell.
 */
export async function thresholdChanged(ctx: Ctx): Promise<void> {
  const standing = (await storedThreshold(ctx)) ?? lowStockThreshold.default;
  await restate(ctx, standing, await nextVersion(ctx));
}
