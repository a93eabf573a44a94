import type { Ctx } from '#kernel/context.ts';
import { stateOf } from '#platform/second-factor/index.ts';
import { type CustomerShown, customerView, find } from '../customers/index.ts';

/** A customer as it is shown to itself; null for an id that is nobody's. */
export async function shownCustomer(ctx: Ctx, id: string): Promise<CustomerShown | null> {
  const one = await find(ctx, id);
  return one && customerView(one, (await stateOf(ctx, id)).enabled);
}
