import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { count } from '#kernel/http/fields.ts';
import type { Visitor } from '#kernel/http/visitor.ts';
import { later } from '#kernel/sharing.ts';
import type { Merged } from '#storefront/buying/cart/index.ts';
import { shownCustomer } from '#storefront/people/accounts/index.ts';
import { CustomerView } from '#storefront/people/customers/index.ts';

/** What somebody is told who has signed in. */
export const SignedInView = later(() =>
  z
    .object({
      customer: CustomerView,
      /** Of the new session. */
      csrf_token: z.string(),
      cart_merge: z.object({
        moved: count(),
        capped: z.array(
          z.object({ item_id: z.string(), title: z.string(), wanted: count(), quantity: count() }),
        ),
      }),
    })
    .meta({ id: 'CustomerSignedIn' }),
);

export async function signedInView(
  ctx: Ctx,
  visitor: Visitor,
  id: string,
  { moved, capped }: Merged,
): Promise<z.output<typeof SignedInView>> {
  const customer = await shownCustomer(ctx, id);
  if (!customer) throw new Error(`customer ${id} is not there`);
  const lowered = capped.map(({ itemId, title, wanted, quantity }) => ({
    item_id: itemId,
    title,
    wanted,
    quantity,
  }));
  return { customer, csrf_token: visitor.csrfToken(), cart_merge: { moved, capped: lowered } };
}
