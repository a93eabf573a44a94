import type { Ctx } from '#kernel/context.ts';
import { fail } from '#kernel/service/errors.ts';
import { guestCheckoutEnabled, termsRequired } from '#storefront/contract/selling-settings.ts';
import { activeProcessors } from '#storefront/orders/processors/index.ts';
import type { CartPrice } from '../cart/index.ts';

/** What still stands between a cart and its order, by the field that cures it. */
export interface Problem {
  readonly field:
    | 'items'
    | 'account'
    | 'email'
    | 'shipping_address'
    | 'billing_address'
    | 'shipping_method_id'
    | 'processor'
    | 'terms_accepted';
  readonly reason: string | null;
  readonly message: string;
}

const problem = (field: Problem['field'], message: string, reason: string | null = null): Problem => ({
  field,
  reason,
  message,
});

/** What is asked beside what the cart says. */
export interface Asked {
  readonly processor: string | null;
  readonly termsAccepted: boolean;
}

/** What is missing before goods and delivery are known. */
export function problemsOfCart(ctx: Ctx, priced: CartPrice): Problem[] {
  const { cart, lines, gone, needsShipping } = priced;
  const isGuest = cart.customerId === null;
  const short = lines.filter(({ line }) => line.available !== null && line.available < line.quantity);
  // Of an empty cart nothing else is worth saying.
  if (lines.length === 0 && gone.length === 0) return [problem('items', 'The cart is empty')];
  return [
    ...gone.map((line) => problem('items', `${line.productTitle} is no longer sold`, 'OUT_OF_STOCK')),
    ...short.map(({ line }) =>
      problem('items', `Only ${line.available} of ${line.productTitle} are left`, 'OUT_OF_STOCK'),
    ),
    ...(isGuest && !ctx.settings.get(guestCheckoutEnabled)
      ? [problem('account', 'Sign in to place an order')]
      : []),
    ...(cart.email === null ? [problem('email', 'An email address is required')] : []),
    ...(needsShipping && cart.shippingAddress === null
      ? [problem('shipping_address', 'A shipping address is required')]
      : []),
    ...methodProblem(priced),
  ];
}

function methodProblem({ cart, needsShipping, offers, method }: CartPrice): Problem[] {
  if (!needsShipping || cart.shippingAddress === null || method) return [];
  if (offers.length === 0) return [problem('shipping_address', "We don't ship to this address")];
  return [
    problem(
      'shipping_method_id',
      cart.shippingMethodId === null
        ? 'Choose how the order is shipped'
        : 'The chosen shipping method is no longer offered for this order; choose another one',
    ),
  ];
}

/** Everything that keeps a cart from becoming an order now. */
export function problemsOf(ctx: Ctx, priced: CartPrice, { processor, termsAccepted }: Asked): Problem[] {
  const isFree = priced.price.totals.dueCents === 0;
  if (priced.lines.length === 0) return problemsOfCart(ctx, priced);
  return [
    ...problemsOfCart(ctx, priced),
    ...(isFree ? [] : processorProblem(ctx, processor)),
    ...(ctx.settings.get(termsRequired) && !termsAccepted
      ? [problem('terms_accepted', 'Accept the terms of sale')]
      : []),
  ];
}

function processorProblem(ctx: Ctx, processor: string | null): Problem[] {
  const active = activeProcessors(ctx);
  if (active.length === 0)
    return [problem('processor', 'This shop does not accept payments right now', 'PAYMENT_UNAVAILABLE')];
  if (processor === null) return [problem('processor', 'Choose a payment method')];
  return active.some(({ id }) => id === processor)
    ? []
    : [problem('processor', 'This payment method is not offered', 'PAYMENT_UNAVAILABLE')];
}

const MISSING: readonly string[] = ['email', 'shipping_address'];

/** @throws AppError VALIDATION_ERROR with all problems, and the reason of the first that has one */
export function requireNone(problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  const reason = problems.find((one) => one.reason !== null)?.reason;
  throw fail('VALIDATION_ERROR', problems.map(({ message }) => message).join('. '), {
    details: {
      ...(reason && { reason }),
      issues: problems.map(({ field, message }) => ({
        path: field,
        rule: MISSING.includes(field) ? 'required' : 'invalid',
        message,
      })),
    },
  });
}
