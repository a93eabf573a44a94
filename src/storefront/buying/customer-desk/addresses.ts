import type { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import * as book from '#storefront/people/addresses/index.ts';
import { shopCustomerEvents } from '#storefront/people/customers/index.ts';
import { lockKnown } from './customers.ts';
import type { AddressUpdate } from './schemas.ts';

type Sent = z.output<typeof AddressUpdate>;

/** As the address book of the shop takes it; null clears. */
const wanted = (sent: Sent): book.AddressWanted => {
  const text = (value: string | null | undefined) => (value === null ? '' : value);
  return {
    label: text(sent.label),
    first_name: text(sent.firstName),
    last_name: text(sent.lastName),
    company: text(sent.company),
    line1: text(sent.line1),
    line2: text(sent.line2),
    city: text(sent.city),
    state: text(sent.state),
    postal_code: text(sent.postalCode),
    country: text(sent.country),
    phone: text(sent.phone),
    is_default_shipping: sent.isDefaultShipping,
    is_default_billing: sent.isDefaultBilling,
  };
};

/** Changes the address book of a customer of whom something is known, and notes who did, without what it says. */
const changing = <T>(
  ctx: Ctx,
  customerId: string,
  done: 'added' | 'changed' | 'removed',
  run: (ctx: Ctx) => Promise<{ readonly id: string; readonly result: T }>,
): Promise<T> =>
  ctx.tx(async (ctx) => {
    await lockKnown(ctx, customerId);
    const { id, result } = await run(ctx);
    await shopCustomerEvents.tell(ctx, 'customer.address_changed', customerId, { address_id: id, done });
    return result;
  });

/** Adds an address for a customer. @throws AppError VALIDATION_ERROR; NOT_FOUND; CONFLICT for one who was anonymised */
export const addAddress = (ctx: Ctx, customerId: string, sent: Sent): Promise<book.CustomerAddress> =>
  changing(ctx, customerId, 'added', async (ctx) => {
    const result = await book.addAddress(ctx, customerId, wanted(sent));
    return { id: result.id, result };
  });

/** Changes what is sent of an address. @throws AppError as `addAddress` */
export const changeAddress = (
  ctx: Ctx,
  customerId: string,
  id: string,
  sent: Sent,
): Promise<book.CustomerAddress> =>
  changing(ctx, customerId, 'changed', async (ctx) => ({
    id,
    result: await book.changeAddress(ctx, customerId, id, wanted(sent)),
  }));

/** Removes an address; orders keep theirs. @throws AppError as `addAddress` */
export const removeAddress = (ctx: Ctx, customerId: string, id: string): Promise<void> =>
  changing(ctx, customerId, 'removed', async (ctx) => ({
    id,
    result: await book.removeAddress(ctx, customerId, id),
  }));
