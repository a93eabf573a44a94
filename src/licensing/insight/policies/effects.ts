import type { Ctx } from '#kernel/context.ts';
import type { PolicyUpdateInput } from '#licensing/catalog/policies/index.ts';
import { impact } from './impact.ts';

const MOST_NAMED = 5;

/**
 * What a change of a policy does to the licenses under it, in words.
 *
 * @returns nothing when no application is answered otherwise
 * @throws AppError VALIDATION_ERROR, NOT_FOUND
 */
export async function effectsOf(ctx: Ctx, id: string, input: PolicyUpdateInput): Promise<readonly string[]> {
  const { affectedLicenses, wouldChangeAnswer, transitions, samples, truncated } = await impact(
    ctx,
    id,
    input,
  );
  if (wouldChangeAnswer === 0) return [];
  return [
    `Licenses with this policy: ${number(affectedLicenses)}. Validation answers that change: ${number(wouldChangeAnswer)}.`,
    ...transitions.map(({ from, to, count }) => `${number(count)} from ${from} to ${to}`),
    ...samples.slice(0, MOST_NAMED).map(({ keyPrefix, machineId, before, after }) => {
      const where = machineId === null ? 'without a machine' : `on ${machineId}`;
      return `For example ${keyPrefix}-… ${where}: ${before} now, ${after} then`;
    }),
    ...(truncated ? ['Only some of the licenses were checked.'] : []),
  ];
}

const number = (value: number): string => value.toLocaleString('en');
