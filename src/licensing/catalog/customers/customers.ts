import type { Ctx } from '#kernel/context.ts';
import { isUniqueViolation } from '#kernel/db/dialect.ts';
import { isId } from '#kernel/ids.ts';
import { checkInput } from '#kernel/service/input.ts';
import { fail } from '#licensing/contract/errors.ts';
import { ids } from '#licensing/contract/ids.ts';
import { customerEvents } from './events.ts';
import type { Customer } from './record.ts';
import * as repo from './repository.ts';
import { CustomerCreate, type CustomerCreateInput } from './schemas.ts';

/**
 * The customer of an address: the tenant's own one, or a new one. A stored name is filled only when empty (D50).
 * Any number of callers at once with one address get one customer. Joins the caller's transaction.
 *
 * @param input the address in any spelling, checked by the caller's schema; an empty name counts as absent
 */
export async function reuse(
  ctx: Ctx,
  input: { email: string; name?: string | undefined },
): Promise<repo.CustomerName> {
  return ctx.tx(async (ctx) => {
    const fresh = draft(ctx, input);
    if (await repo.insertIfNew(ctx, fresh)) {
      await customerEvents.tell(ctx, 'CUSTOMER_CREATED', fresh.id, {}, { after: fresh });
      return nameOf(fresh);
    }
    const found = await stored(ctx, fresh.email);
    if (found.name || fresh.name === null) return nameOf(found);
    // Somebody else may give a name at this moment: the first one stays.
    if (!(await repo.fillName(ctx, found.id, fresh.name))) return nameOf(await stored(ctx, fresh.email));
    await customerEvents.tell(
      ctx,
      'CUSTOMER_UPDATED',
      found.id,
      {},
      { before: found, after: { ...found, name: fresh.name } },
    );
    return { ...nameOf(found), name: fresh.name };
  });
}

async function stored(ctx: Ctx, email: string): Promise<Customer> {
  const found = await repo.findByEmail(ctx, email);
  // Only when the customer was merged or erased between two statements.
  if (!found) throw fail('CONFLICT', 'the customer was just removed; try again');
  return found;
}

/**
 * Makes a customer (licensing 4.2).
 *
 * @throws AppError VALIDATION_ERROR; CONFLICT when the tenant has the address in any spelling
 */
export async function create(ctx: Ctx, input: CustomerCreateInput): Promise<Customer> {
  const { email, name, metadata = {} } = checkInput(CustomerCreate, input);
  return ctx.tx(async (ctx) => {
    const customer = { ...draft(ctx, { email, name }), metadata };
    try {
      await repo.insert(ctx, customer);
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw fail('CONFLICT', `there is a customer with address ${customer.email} already`, {
        details: { reason: 'DUPLICATE', hint: `appctl customer show ${customer.email}` },
      });
    }
    await customerEvents.tell(ctx, 'CUSTOMER_CREATED', customer.id, {}, { after: customer });
    return customer;
  });
}

/** The customer of an id or an address in any spelling; null when the tenant has none. */
export async function find(ctx: Ctx, idOrEmail: string): Promise<Customer | null> {
  const found = await (isId(ids.customer, idOrEmail)
    ? repo.findById(ctx, idOrEmail)
    : repo.findByEmail(ctx, idOrEmail));
  return found && (await repo.isVisible(ctx, found.id)) ? found : null;
}

/** As `find`. @throws AppError NOT_FOUND */
export async function get(ctx: Ctx, idOrEmail: string): Promise<Customer> {
  const found = await find(ctx, idOrEmail);
  if (found) return found;
  throw fail('NOT_FOUND', `customer ${idOrEmail} was not found`, {
    details: { hint: 'appctl customer list' },
  });
}

function draft(ctx: Ctx, { email, name }: { email: string; name?: string | undefined }): Customer {
  const now = ctx.now();
  return {
    id: ctx.newId(ids.customer),
    tenantId: ctx.tenantId,
    email: email.trim(),
    name: name?.trim() ? name : null,
    metadata: {},
    anonymizedAt: null,
    createdAt: now,
    updatedAt: now,
  };
}

const nameOf = ({ id, email, name }: Customer): repo.CustomerName => ({ id, email, name });
