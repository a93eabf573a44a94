import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { type Page, type PageAsked, pageOf, sliceOf } from '#kernel/service/pagination.ts';
import * as integrations from '../../integrations/index.ts';
import * as queries from './queries.ts';

/**
 * One page of what an integration refused, the newest first: a wrong secret shows here at once.
 *
 * @param config id or name
 * @throws AppError NOT_FOUND
 */
export async function listRefusals(
  ctx: Ctx,
  config: string,
  asked: PageAsked,
): Promise<Page<queries.CountedRefusal>> {
  const { id } = await integrations.get(ctx, config);
  return pageOf(asked, await queries.listRefusals(ctx, id, sliceOf(asked)));
}

/** How many deliveries an integration refused within the last 24 hours. @param configId of the caller's tenant */
export const countRecentRefusals = (ctx: Ctx, configId: string): Promise<number> =>
  queries.countRefusals(ctx, configId, addSeconds(ctx.now(), -SECONDS_PER_DAY));
