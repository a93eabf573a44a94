import type { Ctx } from '#kernel/context.ts';
import { storeFail } from '#platform/store-answers/index.ts';
import { ids } from '#storefront/contract/ids.ts';
import { type ConsentNoted, noteConsent } from '../consents/index.ts';
import { tellCustomer } from './change.ts';
import { hookedCustomer } from './hooked.ts';
import { type Customer, emailNormed, shopCustomerRecord } from './record.ts';
import * as repo from './repository.ts';

/** What a checkout says of whoever buys without an account. */
export type GuestInput = Pick<Customer, 'email'> &
  Partial<Pick<Customer, 'firstName' | 'lastName' | 'phone' | 'locale' | 'acceptsMarketing'>>;

/**
 * The guest with an email address; the first order of an address makes the row. An account with the same address is
 * neither read nor changed: whoever writes an address has not proved that it is theirs (storefront-domain 7.6).
 *
 * @param consentText what was read beside the choice about emails with offers
 */
export async function guestOf(
  ctx: Ctx,
  input: GuestInput,
  consentText: string | null = null,
): Promise<Customer> {
  const consent = { source: 'checkout', text: consentText } as const;
  const emailNorm = emailNormed(input.email);
  const before = await repo.findGuest(ctx, emailNorm);
  if (before) return refreshed(ctx, before, input, consent);
  return ctx.tx(async (ctx) => {
    const one: Customer = { ...blank(ctx), isGuest: true, ...input };
    if (await repo.insertNew(ctx, one)) {
      await noteAgreed(ctx, one, consent);
      return one;
    }
    return (await repo.findGuest(ctx, emailNorm)) ?? one;
  });
}

/** A customer of whom nothing is known yet. */
const blank = (ctx: Ctx): Omit<Customer, 'email' | 'isGuest'> => ({
  id: ctx.newId(ids.customer),
  firstName: null,
  lastName: null,
  phone: null,
  locale: null,
  acceptsMarketing: false,
  emailVerifiedAt: null,
  birthday: null,
  taxId: null,
  tags: [],
  status: 'active',
  taxExempt: false,
  orderCount: 0,
  spentCents: 0,
  lastLoginAt: null,
  deletedAt: null,
  mergedIntoId: null,
  createdAt: ctx.now(),
  updatedAt: ctx.now(),
});

/** How somebody agreed to emails with offers: where, and what was read beside the choice. */
export type Consent = Pick<ConsentNoted, 'source' | 'text'>;

/** Who registers, or whom staff adds. */
export type NewCustomer = GuestInput &
  Partial<Pick<Customer, 'emailVerifiedAt' | 'taxExempt' | 'taxId' | 'tags'>>;

/**
 * Makes an account, in the transaction of whoever asks.
 *
 * @param passwordHash null: the customer chooses a password by a link
 * @param consent how the customer agreed to emails with offers, where they did
 * @returns null where the address has one already: of two that register it at once, one gets null
 */
export async function createAccount(
  ctx: Ctx,
  input: NewCustomer,
  passwordHash: string | null,
  consent: Consent = { source: 'register' },
): Promise<Customer | null> {
  const one = await hookedCustomer(ctx, { ...blank(ctx), isGuest: false, ...input });
  if (!(await repo.insertNew(ctx, one, passwordHash))) return null;
  await tellCustomer(ctx, { before: null, after: one });
  await noteAgreed(ctx, one, consent);
  return one;
}

/** The guest with an address, or null. */
export const guestWith = (ctx: Ctx, email: string): Promise<Customer | null> =>
  repo.findGuest(ctx, emailNormed(email));

/** What the last order said is right; nothing is written where it said the same. */
async function refreshed(ctx: Ctx, before: Customer, input: GuestInput, consent: Consent): Promise<Customer> {
  const { email: _same, ...said } = input;
  const known = Object.fromEntries(
    Object.entries(said).filter(([, value]) => value !== null && value !== undefined),
  );
  const after: Customer = { ...before, ...known };
  if (JSON.stringify(after) === JSON.stringify(before)) return before;
  return ctx.tx(async (ctx) => {
    const stored = { ...after, updatedAt: ctx.now() };
    await repo.updateGuest(ctx, stored);
    if (!before.acceptsMarketing) await noteAgreed(ctx, stored, consent);
    return stored;
  });
}

/**
 * Who is signed in at the shop.
 *
 * @throws AppError AUTH_UNAUTHORIZED for everybody else
 */
export function customerIdOf({ actor }: Ctx): string {
  if (actor.kind === 'customer' && actor.id !== null) return actor.id;
  throw storeFail('AUTH_UNAUTHORIZED', 'Sign in as a customer first');
}

/** Keeps the proof of a consent that came with an order or a registration. */
async function noteAgreed(ctx: Ctx, one: Customer, consent: Consent): Promise<void> {
  const { id: customerId, locale, acceptsMarketing: granted } = one;
  if (granted) await noteConsent(ctx, { customerId, granted, locale, ...consent });
}

/** The account with an address, or null; guests have none. */
export const accountOf = (ctx: Ctx, email: string): Promise<Customer | null> =>
  repo.findAccount(ctx, emailNormed(email));

/** A customer, or null. */
export const find = repo.find;

/** Which emails a customer wants beside those of orders and of offers. */
export const preferencesOf = repo.preferencesOf;
export const setPreferences = repo.setPreferences;

/** Whether the address of a customer is proved to be theirs. */
export const isProved = ({ emailVerifiedAt }: Customer): boolean => emailVerifiedAt !== null;

/** The account and the guest with the address of a customer, apart from that customer. */
export const sharingAddress = async (ctx: Ctx, { id, email }: Customer): Promise<Customer[]> =>
  (await repo.listByEmail(ctx, emailNormed(email))).filter((one) => one.id !== id);

/** Empties who a customer was, for good; orders, what was spent and the id stay. Again: unchanged. */
export async function anonymise(ctx: Ctx, id: string): Promise<void> {
  const before = await repo.lock(ctx, id);
  if (!before || before.status === 'anonymised') return;
  const after: Customer = {
    ...shopCustomerRecord.erase(before),
    status: 'anonymised',
    acceptsMarketing: false,
    updatedAt: ctx.now(),
  };
  await repo.anonymise(ctx, after);
  if (!before.isGuest) await tellCustomer(ctx, { before, after, isPart: true });
}

/**
 * Counts an order with its customer, in the transaction that places, pays or ends it.
 *
 * @param orders 1 when one was placed, -1 when a placed one was cancelled, 0 when only money moved
 * @param cents that were paid; below 0 what went back
 * @returns with whom it was counted: another one where the customer was merged into somebody meanwhile
 */
export async function countOrder(ctx: Ctx, id: string, orders: number, cents: number): Promise<string> {
  for (let owner = id; ; ) {
    if ((await repo.count(ctx, owner, orders, cents)) > 0) return owner;
    const next = await repo.mergedInto(ctx, owner);
    if (next === null) return owner;
    owner = next;
  }
}
