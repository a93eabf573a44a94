import type { Ctx } from '#kernel/context.ts';
import { isUniqueViolation } from '#kernel/db/dialect.ts';
import { fail } from '#kernel/service/errors.ts';
import { shopCustomerEvents } from './events.ts';
import type { Customer } from './record.ts';
import * as repo from './repository.ts';
import { type StoreCustomer, storeCustomerViews } from './store-view.ts';

/** Fields that change without anybody being told: times and counters. */
const QUIET: ReadonlySet<string> = new Set(['updatedAt', 'orderCount', 'spentCents', 'lastLoginAt']);

/** What is told of a change beside the customer. */
export interface Telling {
  /** Why, for the audit log. */
  readonly note?: string | undefined;
  /** Another event of the transaction has the row of the audit log. */
  readonly isPart?: true;
}

const isSame = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other);

const changedFields = (before: Customer | null, after: Customer): string[] =>
  Object.entries(after)
    .filter(([name, value]) => !QUIET.has(name) && !isSame(value, before?.[name as keyof Customer]))
    .map(([name]) => name);

/**
 * Tells of a customer who was made or has changed, in the transaction of the change: every place that writes a customer
 * calls it, or `changeCustomer`, which does. Receivers of webhooks hear of accounts alone, not of guests
 * (storefront-domain 18); a guest who registers counts as made.
 *
 * @param before null for a new one
 */
export async function tellCustomer(
  ctx: Ctx,
  { before, after, ...telling }: Telling & { readonly before: Customer | null; readonly after: Customer },
): Promise<void> {
  const fields = changedFields(before, after);
  if (before !== null && fields.length === 0) return;
  const isNew = before === null || (before.isGuest && !after.isGuest);
  const told = isNew ? 'customer.created' : 'customer.updated';
  await shopCustomerEvents.tell(
    ctx,
    after.isGuest ? 'customer.guest_changed' : told,
    after.id,
    { status: after.status },
    {
      before,
      after,
      ...telling,
      forReceivers: async (ctx) => (await storeCustomerViews([after], ctx))[0] as StoreCustomer,
    },
  );
}

/** @throws AppError NOT_FOUND */
export function missingCustomer(id: string): never {
  throw fail('NOT_FOUND', `customer ${id} does not exist`);
}

/** The customer, locked until the end of the transaction. @throws AppError NOT_FOUND */
export const lockCustomer = async (ctx: Ctx, id: string): Promise<Customer> =>
  (await repo.lock(ctx, id)) ?? missingCustomer(id);

/** @throws AppError CONFLICT, reason DUPLICATE, where another account has the address */
async function storing<T>({ email }: Customer, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw fail('CONFLICT', `${email} is the email address of another customer`, {
      details: { reason: 'DUPLICATE' },
    });
  }
}

/**
 * Stores what of a customer has changed and tells of it; nothing where nothing has. The one way to change a customer.
 *
 * @param before as `lockCustomer` read it in this transaction
 * @param part the fields that change, counters excepted
 * @returns the customer as it is then
 * @throws AppError CONFLICT, reason DUPLICATE, where another account has the address
 */
export async function changeCustomer(
  ctx: Ctx,
  before: Customer,
  part: Partial<Omit<Customer, 'id' | 'orderCount' | 'spentCents' | 'createdAt' | 'updatedAt'>>,
  telling: Telling = {},
): Promise<Customer> {
  const wanted: Customer = { ...before, ...part };
  if (changedFields(before, wanted).length === 0) return before;
  const after: Customer = { ...wanted, updatedAt: ctx.now() };
  const changed = Object.entries(after).filter(
    ([name, value]) => !isSame(value, before[name as keyof Customer]),
  );
  await storing(after, () => repo.update(ctx, after, Object.fromEntries(changed)));
  await tellCustomer(ctx, { before, after, ...telling });
  return after;
}
