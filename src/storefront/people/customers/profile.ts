import type { Ctx } from '#kernel/context.ts';
import { changeCustomer, lockCustomer } from './change.ts';
import type { Customer } from './record.ts';

/** What customers change of themselves; null clears, what is absent stays. */
export type ProfilePart = Partial<Pick<Customer, 'firstName' | 'lastName' | 'phone' | 'birthday'>>;

/** Changes what a customer says of itself. @throws AppError NOT_FOUND */
export const changeProfile = (ctx: Ctx, id: string, part: ProfilePart): Promise<Customer> =>
  ctx.tx(async (ctx) => changeCustomer(ctx, await lockCustomer(ctx, id), part));
