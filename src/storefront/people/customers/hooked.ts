import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { oneLine, text } from '#kernel/http/fields.ts';
import { type Customer, emailNormed } from './record.ts';

const line = (max: number) => text({ min: 1, max, trim: true, form: oneLine });

const changes = () => ({
  first_name: line(100).nullable(),
  last_name: line(100).nullable(),
  phone: line(50).nullable(),
  tags: z.array(line(50)).max(50),
});

/**
 * A customer who is about to be made, once the operator's hooks were asked (storefront-domain 19). Of an address that has
 * an account they are asked as well: nobody learns from them whether it has one.
 *
 * @throws AppError VALIDATION_ERROR, reason HOOK_REJECTED; HookFailed
 */
export async function hookedCustomer(ctx: Ctx, one: Customer): Promise<Customer> {
  if (one.isGuest) return one;
  const changed = await ctx.before(
    'customer.created',
    emailNormed(one.email),
    () => ({
      email: one.email,
      first_name: one.firstName,
      last_name: one.lastName,
      phone: one.phone,
      locale: one.locale,
      accepts_marketing: one.acceptsMarketing,
      tags: one.tags,
    }),
    () => ({ changes: changes() }),
  );
  if (!changed) return one;
  const { first_name: firstName, last_name: lastName, phone, tags } = changed as Partial<Hooked>;
  return {
    ...one,
    ...(firstName !== undefined && { firstName }),
    ...(lastName !== undefined && { lastName }),
    ...(phone !== undefined && { phone }),
    ...(tags !== undefined && { tags }),
  };
}

type Hooked = z.output<z.ZodObject<ReturnType<typeof changes>>>;
