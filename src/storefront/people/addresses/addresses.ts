import type { Ctx } from '#kernel/context.ts';
import { fail } from '#kernel/service/errors.ts';
import {
  type Address,
  type AddressSent,
  addressIn,
  addressView,
  faultsOf,
} from '#storefront/contract/address.ts';
import { ids } from '#storefront/contract/ids.ts';
import { lockCustomer } from '../customers/index.ts';
import { type CustomerAddress, MOST_ADDRESSES } from './record.ts';
import * as repo from './repository.ts';

/** For what an address is offered first. */
export const ADDRESS_KINDS = ['shipping', 'billing'] as const;
export type AddressKind = (typeof ADDRESS_KINDS)[number];

/** What is sent of an address beside where it is. */
export interface Chosen {
  readonly label?: string | undefined;
  readonly is_default_shipping?: boolean | undefined;
  readonly is_default_billing?: boolean | undefined;
}
export type AddressWanted = AddressSent & Chosen;

/** The address book, with the defaults first. */
export const addressesOf = async (ctx: Ctx, customerId: string): Promise<CustomerAddress[]> =>
  (await repo.list(ctx, customerId)).toSorted((a, b) => rank(b) - rank(a));

const rank = ({ isDefaultShipping, isDefaultBilling }: CustomerAddress): number =>
  (isDefaultShipping ? 2 : 0) + (isDefaultBilling ? 1 : 0);

/** One address of a customer. @throws AppError NOT_FOUND, for those of others too */
export async function getAddress(ctx: Ctx, customerId: string, id: string): Promise<CustomerAddress> {
  const found = (await repo.list(ctx, customerId)).find((one) => one.id === id);
  if (!found) throw unknown(id);
  return found;
}

const unknown = (id: string) => fail('NOT_FOUND', `address ${id} does not exist`);

/** What is right of an address that was sent. @throws AppError VALIDATION_ERROR with the fields that are missing or wrong */
function checked(sent: AddressSent): Address {
  const faults = faultsOf(sent);
  if (faults.length === 0) return addressIn(sent);
  const issues = faults.map(({ field, isMissing, message }) => ({
    path: field,
    rule: isMissing ? 'required' : 'invalid',
    message,
  }));
  const words = issues.map(({ path, message }) => `${path} ${message}`).join('; ');
  throw fail('VALIDATION_ERROR', words, { details: { issues } });
}

/**
 * Adds an address. The first one is the default of both kinds.
 *
 * @throws AppError VALIDATION_ERROR; also when the book is full
 */
export async function addAddress(
  ctx: Ctx,
  customerId: string,
  sent: AddressWanted,
): Promise<CustomerAddress> {
  const address = checked(sent);
  return ctx.tx(async (ctx) => {
    await lockCustomer(ctx, customerId);
    const all = await repo.list(ctx, customerId);
    if (all.length >= MOST_ADDRESSES)
      throw fail('VALIDATION_ERROR', `an address book holds ${MOST_ADDRESSES} addresses; remove one first`);
    const now = ctx.now();
    const one: CustomerAddress = {
      id: ctx.newId(ids.customerAddress),
      customerId,
      label: sent.label || null,
      ...address,
      isDefaultShipping: sent.is_default_shipping ?? all.length === 0,
      isDefaultBilling: sent.is_default_billing ?? all.length === 0,
      createdAt: now,
      updatedAt: now,
    };
    await makeRoom(ctx, all, one);
    await repo.insert(ctx, one);
    return one;
  });
}

/** The default of a kind is no longer another one. */
async function makeRoom(ctx: Ctx, all: readonly CustomerAddress[], one: CustomerAddress): Promise<void> {
  for (const other of all) {
    if (other.id === one.id) continue;
    const isDefaultShipping = other.isDefaultShipping && !one.isDefaultShipping;
    const isDefaultBilling = other.isDefaultBilling && !one.isDefaultBilling;
    if (isDefaultShipping === other.isDefaultShipping && isDefaultBilling === other.isDefaultBilling)
      continue;
    await repo.update(ctx, { ...other, isDefaultShipping, isDefaultBilling, updatedAt: ctx.now() });
  }
}

/** Changes an address under the lock of its customer. */
async function changing(
  ctx: Ctx,
  customerId: string,
  id: string,
  change: (before: CustomerAddress) => CustomerAddress,
): Promise<CustomerAddress> {
  return ctx.tx(async (ctx) => {
    await lockCustomer(ctx, customerId);
    const all = await repo.list(ctx, customerId);
    const before = all.find((one) => one.id === id);
    if (!before) throw unknown(id);
    const after = { ...change(before), updatedAt: ctx.now() };
    await makeRoom(ctx, all, after);
    await repo.update(ctx, after);
    return after;
  });
}

/** Changes what is sent of an address. @throws AppError NOT_FOUND, VALIDATION_ERROR */
export const changeAddress = (
  ctx: Ctx,
  customerId: string,
  id: string,
  sent: AddressWanted,
): Promise<CustomerAddress> =>
  changing(ctx, customerId, id, (before) => {
    const shown = Object.entries(addressView(before)).map(([name, value]) => [name, value ?? undefined]);
    const known: AddressSent = Object.fromEntries(shown);
    const { label = before.label, is_default_shipping, is_default_billing, ...place } = sent;
    const names = place.name === undefined ? {} : { first_name: undefined, last_name: undefined };
    const given = Object.fromEntries(Object.entries(place).filter(([, value]) => value !== undefined));
    return {
      ...before,
      ...checked({ ...known, ...names, ...given }),
      label: label || null,
      isDefaultShipping: is_default_shipping ?? before.isDefaultShipping,
      isDefaultBilling: is_default_billing ?? before.isDefaultBilling,
    };
  });

/** Offers an address first for one of the two kinds. @throws AppError NOT_FOUND */
export const makeDefault = (
  ctx: Ctx,
  customerId: string,
  id: string,
  kind: AddressKind,
): Promise<CustomerAddress> =>
  changing(ctx, customerId, id, (before) => ({
    ...before,
    ...(kind === 'shipping' ? { isDefaultShipping: true } : { isDefaultBilling: true }),
  }));

/** Removes an address; orders keep theirs. @throws AppError NOT_FOUND */
export async function removeAddress(ctx: Ctx, customerId: string, id: string): Promise<void> {
  await ctx.tx(async (ctx) => {
    if ((await repo.remove(ctx, customerId, id)) === 0) throw unknown(id);
  });
}

const SAME = [
  'firstName',
  'lastName',
  'company',
  'line1',
  'line2',
  'city',
  'state',
  'postalCode',
  'country',
] as const;

/** Keeps the address of a checkout, unless the book has it or is full. */
export async function rememberAddress(ctx: Ctx, customerId: string, address: Address): Promise<void> {
  await ctx.tx(async (ctx) => {
    await lockCustomer(ctx, customerId);
    const all = await repo.list(ctx, customerId);
    const isKnown = all.some((one) => SAME.every((name) => one[name] === address[name]));
    if (isKnown || all.length >= MOST_ADDRESSES) return;
    const now = ctx.now();
    await repo.insert(ctx, {
      id: ctx.newId(ids.customerAddress),
      customerId,
      label: null,
      ...address,
      isDefaultShipping: all.length === 0,
      isDefaultBilling: all.length === 0,
      createdAt: now,
      updatedAt: now,
    });
  });
}

/** Brings the address book of one customer into that of another one, whose defaults stay; both are locked. */
export async function moveAddresses(ctx: Ctx, fromId: string, toId: string): Promise<void> {
  const own = await repo.list(ctx, toId);
  const has = (kind: 'isDefaultShipping' | 'isDefaultBilling') => own.some((one) => one[kind]);
  for (const one of await repo.list(ctx, fromId)) {
    if (own.some((other) => SAME.every((name) => one[name] === other[name]))) {
      await repo.remove(ctx, fromId, one.id);
      continue;
    }
    const isDefaultShipping = one.isDefaultShipping && !has('isDefaultShipping');
    const isDefaultBilling = one.isDefaultBilling && !has('isDefaultBilling');
    await repo.give(ctx, { ...one, isDefaultShipping, isDefaultBilling }, toId);
  }
}
