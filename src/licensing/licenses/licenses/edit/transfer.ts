import type { Ctx } from '#kernel/context.ts';
import { isForeignKeyViolation } from '#kernel/db/dialect.ts';
import { checkInput } from '#kernel/service/input.ts';
import * as customers from '#licensing/catalog/customers/index.ts';
import { fail } from '#licensing/contract/errors.ts';
import * as activations from '../../activations/index.ts';
import { licenseStaffEvents } from '../events.ts';
import { lock, reread } from '../locked.ts';
import type { License } from '../queries.ts';
import * as repo from './repository.ts';
import { TransferBody, type TransferInput } from './schemas.ts';

/**
 * Gives a license to another customer (licensing 4.2, transfer). Its machines are put out first, as those of the old
 * customer: their rows end with TRANSFER, receivers learn LICENSE_DEACTIVATED with reason ADMIN of each. The timeline
 * gets LICENSE_TRANSFERRED. To the customer who has it already: unchanged, no event.
 *
 * @param input an unknown `customerEmail` makes a customer (D50); `keepActivations` leaves the machines as they are
 * @throws AppError VALIDATION_ERROR without exactly one of customerId and customerEmail; NOT_FOUND for either;
 *   CONFLICT for a customer who was erased
 */
export async function transfer(
  ctx: Ctx,
  licenseId: string,
  input: TransferInput,
): Promise<{ license: License; changed: boolean }> {
  const checked = checkInput(TransferBody, input);
  refuseUnclear(checked);
  return ctx.tx(async (ctx) => {
    const standing = await lock(ctx, licenseId);
    const license = await reread(ctx, licenseId);
    const customer = await newOwner(ctx, checked);
    if (customer.id === license.customer.id) return { license, changed: false };
    const ended = checked.keepActivations ? [] : await activations.endAll(ctx, standing, 'TRANSFER');
    await storing(repo.giveTo(ctx, licenseId, customer.id));
    const data = { deactivatedMachineIds: ended.map(({ machineId }) => machineId) };
    const diff = { customerId: [license.customer.id, customer.id] };
    await licenseStaffEvents.tell(ctx, 'LICENSE_TRANSFERRED', licenseId, data, { diff });
    return { license: await reread(ctx, licenseId), changed: true };
  });
}

function refuseUnclear({ customerId, customerEmail }: TransferInput): void {
  if ((customerId === undefined) !== (customerEmail === undefined)) return;
  const message = 'exactly one of customerId and customerEmail is required';
  throw fail('VALIDATION_ERROR', message, {
    details: { issues: [{ path: 'customerEmail', rule: 'required', message }] },
  });
}

async function newOwner(
  ctx: Ctx,
  { customerId, customerEmail }: TransferInput,
): Promise<customers.CustomerName> {
  if (customerId === undefined) return customers.reuse(ctx, { email: String(customerEmail) });
  const customer = await customers.get(ctx, customerId);
  customers.refuseErased(customer);
  return customer;
}

async function storing(written: Promise<void>): Promise<void> {
  try {
    await written;
  } catch (error) {
    if (isForeignKeyViolation(error)) throw fail('NOT_FOUND', 'the customer was removed in the meantime');
    throw error;
  }
}
