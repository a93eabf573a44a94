import type { Ctx } from '#kernel/context.ts';
import { getAny } from '../staff-read.ts';
import type { LicenseUpdateInput } from './schemas.ts';

/**
 * What an edit of a license does to its machines, in words: a limit below what is in use takes effect as they leave.
 *
 * @returns nothing where the limit is kept
 * @throws AppError NOT_FOUND
 */
export async function effectsOf(
  ctx: Ctx,
  id: string,
  { maxActivations: most }: Pick<LicenseUpdateInput, 'maxActivations'>,
): Promise<readonly string[]> {
  const { activationsUsed: used, maxActivations, type } = await getAny(ctx, id);
  if (typeof most !== 'number' || most >= maxActivations || used <= most) return [];
  const [things, taken, freed] =
    type === 'FLOATING'
      ? ['seats', 'taken', 'given back or expire']
      : ['machines', 'activated', 'deactivated'];
  const [inUse, over, toFree] = [used, used - most, used - most + 1].map((count) =>
    count.toLocaleString('en'),
  );
  return [
    `In use are ${inUse} ${things}, ${over} more than the new limit of ${most.toLocaleString('en')}.`,
    `All of them keep working. No new one can be ${taken} before ${toFree} of them are ${freed}.`,
  ];
}
