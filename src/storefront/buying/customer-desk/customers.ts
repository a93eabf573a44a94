import type { Ctx } from '#kernel/context.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import { checkInput, sentFields } from '#kernel/service/input.ts';
import { FALLBACK } from '#platform/languages/index.ts';
import * as secondFactor from '#platform/second-factor/index.ts';
import { endSessions, mailEmailChangeNotice, sendInvite } from '#storefront/people/accounts/index.ts';
import {
  type Customer,
  changeCustomer,
  createAccount,
  lockCustomer,
  missingCustomer,
  shopCustomerEvents,
} from '#storefront/people/customers/index.ts';
import { changeMembers, setGroupsOf } from '#storefront/people/groups/index.ts';
import { noteMarketing } from '#storefront/people/privacy/index.ts';
import { customerRows } from './queries.ts';
import {
  CustomerCreate,
  type CustomerCreateInput,
  CustomerUpdate,
  type CustomerUpdateInput,
  MOST_TAGS,
  Tagging,
  type TaggingInput,
} from './schemas.ts';

/** How staff came to say what they say of a customer; the proof of a consent names it. */
export type ChangeSource = 'staff' | 'import';

/** A customer. @throws AppError NOT_FOUND */
export const get = async (ctx: Ctx, id: string): Promise<Customer> =>
  (await customerRows.find(ctx, id)) ?? missingCustomer(id);

/** @throws AppError CONFLICT, reason INVALID_TRANSITION */
export function requireKnown(customer: Customer): Customer {
  if (customer.status !== 'anonymised') return customer;
  const message =
    customer.mergedIntoId === null
      ? 'this customer was anonymized and can no longer be changed'
      : `this customer was merged into ${customer.mergedIntoId}; change that one instead`;
  throw fail('CONFLICT', message, { details: { reason: 'INVALID_TRANSITION' } });
}

/** The customer, locked; one of whom nothing is known any more is refused. */
export const lockKnown = async (ctx: Ctx, id: string): Promise<Customer> =>
  requireKnown(await lockCustomer(ctx, id));

/** Each once, as they were written first. */
export function uniqueTags(tags: readonly string[]): string[] {
  const seen = new Map<string, string>();
  for (const tag of tags) if (!seen.has(tag.toLowerCase())) seen.set(tag.toLowerCase(), tag);
  return [...seen.values()];
}

/**
 * Adds a customer with an account, who has no password until a link was followed: that of an invitation, where one is
 * asked for, or of a password reset.
 *
 * @throws AppError VALIDATION_ERROR, also for a group that does not exist; CONFLICT, reason DUPLICATE, for the address of
 *   another account
 */
export async function create(
  ctx: Ctx,
  input: CustomerCreateInput,
  source: ChangeSource = 'staff',
): Promise<Customer> {
  const {
    groupIds = [],
    tags = [],
    sendInvite: isInvited = false,
    ...sent
  } = checkInput(CustomerCreate, input);
  return ctx.tx(async (ctx) => {
    const said = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined));
    const asked = { ...said, email: sent.email, tags: uniqueTags(tags) };
    const customer = await createAccount(ctx, asked, null, { source });
    if (!customer)
      throw fail('CONFLICT', `${sent.email} is the email address of another customer`, {
        details: { reason: 'DUPLICATE' },
      });
    await setGroupsOf(ctx, customer.id, groupIds);
    if (isInvited) await sendInvite(ctx, customer.id);
    return customer;
  });
}

/**
 * Changes a customer; what is not sent stays, null clears. Another address has to be proved again.
 *
 * @throws AppError NOT_FOUND; otherwise as `create`, and reason INVALID_TRANSITION for one who was anonymized
 */
export async function change(
  ctx: Ctx,
  id: string,
  input: CustomerUpdateInput,
  source: ChangeSource = 'staff',
): Promise<Customer> {
  const { groupIds, tags, ...sent } = sentFields(checkInput(CustomerUpdate, input));
  return ctx.tx(async (ctx) => {
    const before = await lockKnown(ctx, id);
    const isMoved = sent.email !== undefined && sent.email.toLowerCase() !== before.email.toLowerCase();
    if (isMoved && before.isGuest)
      throw invalidField('email', 'of a guest comes from the orders and cannot be changed');
    const { acceptsMarketing: granted } = sent;
    if (granted !== undefined) await noteMarketing(ctx, before, { granted, source });
    const after = await changeCustomer(ctx, before, {
      ...sent,
      ...(tags !== undefined && { tags: uniqueTags(tags) }),
      ...(isMoved && { emailVerifiedAt: null }),
    });
    if (isMoved) {
      // Whoever has the old address learns of it, and nobody stays signed in.
      await mailEmailChangeNotice(ctx, before, { email: after.email, locale: before.locale ?? FALLBACK });
      await endSessions(ctx, id, null);
    }
    if (groupIds !== undefined) await setGroupsOf(ctx, id, groupIds);
    return after;
  });
}

/** Ends the sessions of an account and lets nobody sign in to it. Again: unchanged. @throws AppError NOT_FOUND */
export const disable = (ctx: Ctx, id: string, reason?: string): Promise<Customer> =>
  ctx.tx(async (ctx) => {
    const before = await lockKnown(ctx, id);
    requireAccount(before);
    return changeCustomer(ctx, before, { status: 'disabled' }, { note: reason });
  });

/** Lets a customer sign in again. @throws AppError NOT_FOUND */
export const enable = (ctx: Ctx, id: string): Promise<Customer> =>
  ctx.tx(async (ctx) => changeCustomer(ctx, await lockKnown(ctx, id), { status: 'active' }));

/** @throws AppError CONFLICT, reason INVALID_TRANSITION, for a guest */
export function requireAccount({ isGuest, email }: Customer): void {
  if (isGuest)
    throw fail('CONFLICT', `${email} is a guest without an account`, {
      details: { reason: 'INVALID_TRANSITION' },
    });
}

/**
 * Takes the second factor from an account whose owner has lost it.
 *
 * @param reason for the audit log
 * @throws AppError NOT_FOUND; CONFLICT, reason INVALID_TRANSITION, where there is none
 */
export const resetSecondFactor = (ctx: Ctx, id: string, reason: string): Promise<void> =>
  ctx.tx(async (ctx) => {
    const customer = await lockKnown(ctx, id);
    requireAccount(customer);
    if (!(await secondFactor.remove(ctx, id)))
      throw fail('CONFLICT', `${customer.email} has no two-factor sign-in`, {
        details: { reason: 'INVALID_TRANSITION' },
      });
    await shopCustomerEvents.tell(ctx, 'customer.two_factor_reset', id, {}, { note: reason });
  });

/** Adds tags to a customer and takes others away. @throws AppError NOT_FOUND; VALIDATION_ERROR for too many */
export async function retag(ctx: Ctx, id: string, input: TaggingInput): Promise<Customer> {
  const { add = [], remove = [] } = checkInput(Tagging, input);
  return ctx.tx(async (ctx) => {
    const before = await lockKnown(ctx, id);
    const gone = new Set(remove.map((tag) => tag.toLowerCase()));
    const tags = uniqueTags([...before.tags.filter((tag) => !gone.has(tag.toLowerCase())), ...add]);
    if (tags.length > MOST_TAGS) throw invalidField('add', `a customer has at most ${MOST_TAGS} tags`);
    return changeCustomer(ctx, before, { tags });
  });
}

/** Brings a customer into a group without a rule. @throws AppError NOT_FOUND; as `changeMembers` */
export async function join(ctx: Ctx, id: string, groupId: string): Promise<Customer> {
  await changeMembers(ctx, groupId, { add: [id] });
  return get(ctx, id);
}

/** Takes a customer out of a group without a rule. @throws AppError as `join` */
export async function leave(ctx: Ctx, id: string, groupId: string): Promise<Customer> {
  await changeMembers(ctx, groupId, { remove: [id] });
  return get(ctx, id);
}
