import type { Ctx } from '#kernel/context.ts';
import { fail } from '#kernel/service/errors.ts';
import { customerIdOf } from '#storefront/people/customers/index.ts';
import * as orders from '../orders/index.ts';
import { type ReturnOf, returnRows } from './queries.ts';
import type { Return } from './record.ts';
import { get } from './returns.ts';

/** A placed order of the customer who acts; another one is as unknown as none. @throws AppError NOT_FOUND */
export async function ownOrder(ctx: Ctx, number: string): Promise<orders.Order> {
  const order = await orders.findByNumber(ctx, number);
  if (order?.placedAt && order.customerId === customerIdOf(ctx)) return order;
  throw fail('NOT_FOUND', `order ${number} does not exist`);
}

/** A return of the customer who acts. @throws AppError NOT_FOUND */
export async function ownReturn(ctx: Ctx, number: string): Promise<Return> {
  const one = await get(ctx, number);
  const order = await orders.findOrder(ctx, one.orderId);
  if (order?.customerId === customerIdOf(ctx)) return one;
  throw fail('NOT_FOUND', `return ${number} does not exist`);
}

/** Returns of the customer who acts, the newest first. */
export function ownReturns(
  ctx: Ctx,
  {
    status,
    offset,
    limit,
  }: { readonly status?: string | undefined; readonly offset: number; readonly limit: number },
): Promise<{ items: ReturnOf[]; total: number }> {
  const filters = { customerId: customerIdOf(ctx), ...(status !== undefined && { status: [status] }) };
  return returnRows.page(ctx, { filters, offset, limit });
}
