import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { type Page, type PageAsked, pageOf, sliceOf } from '#kernel/service/pagination.ts';
import * as integrations from '../../integrations/index.ts';
import * as queries from './queries.ts';

/** A page of refusals, and how many deliveries were refused within the last 24 hours. */
export interface RefusedPage extends Page<queries.CountedRefusal> {
  lastDay: number;
}

/**
 * One page of what an integration refused, the newest first: a wrong secret shows here at once.
 *
 * @param config id or name
 * @throws AppError NOT_FOUND
 */
export async function listRefusals(ctx: Ctx, config: string, asked: PageAsked): Promise<RefusedPage> {
  const { id } = await integrations.get(ctx, config);
  const yesterday = addSeconds(ctx.now(), -SECONDS_PER_DAY);
  return {
    ...pageOf(asked, await queries.listRefusals(ctx, id, sliceOf(asked))),
    lastDay: await queries.countRefusals(ctx, id, yesterday),
  };
}
