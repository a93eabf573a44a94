import type { Ctx } from '#kernel/context.ts';
import { fail } from '#licensing/contract/errors.ts';
import { type Ended, endAll } from '../activations/index.ts';
import { lockStanding } from '../licenses/index.ts';

/**
 * Frees every slot of a license at once: all of its machines, or none when something fails (licensing 4.2,
 * POST /licenses/{id}/activations/clear). Does not count as churn (D63).
 *
 * @returns the machines that were live, the longest active first
 * @throws AppError NOT_FOUND
 */
export async function clear(ctx: Ctx, licenseId: string): Promise<Ended[]> {
  return ctx.tx(async (ctx) => {
    const standing = await lockStanding(ctx, { id: licenseId }, '', ctx.now());
    if (!standing) throw fail('NOT_FOUND', `license ${licenseId} was not found`);
    return endAll(ctx, standing, 'ADMIN');
  });
}
