import type { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import { fieldFault, provePassword, shownCustomer } from '#storefront/people/accounts/index.ts';
import * as customers from '#storefront/people/customers/index.ts';
import { type Erased, eraseCustomer, setMarketing } from '#storefront/people/privacy/index.ts';
import {
  DELETE_WORD,
  type PreferencesBody,
  type PreferencesView,
  type ProfileBody,
  type ProfileView,
} from './own-schemas.ts';

type ProfileSent = z.output<typeof ProfileBody>;
type Preferences = z.output<typeof PreferencesView>;

/** A customer as it sees itself. @throws AppError NOT_FOUND for one who is gone */
export async function profileOf(ctx: Ctx, id: string): Promise<z.output<typeof ProfileView>> {
  const shown = await shownCustomer(ctx, id);
  const one = await customers.find(ctx, id);
  if (!shown || !one) throw fail('NOT_FOUND', 'This account no longer exists');
  return { ...shown, birthday: one.birthday };
}

/** Changes what is sent of a profile; blanks clear. */
export async function changeProfile(
  ctx: Ctx,
  id: string,
  sent: ProfileSent,
): Promise<z.output<typeof ProfileView>> {
  if (sent.birthday && sent.birthday > ctx.now().slice(0, 10))
    throw invalidField('birthday', 'must not be in the future');
  const fields = {
    firstName: sent.first_name,
    lastName: sent.last_name,
    phone: sent.phone,
    birthday: sent.birthday,
  };
  const part = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, value || null]);
  await customers.changeProfile(ctx, id, Object.fromEntries(part));
  return profileOf(ctx, id);
}

/** Which emails a customer wants. */
export async function preferencesOf(ctx: Ctx, id: string): Promise<Preferences> {
  const one = await customers.find(ctx, id);
  const { cartReminders, reviewRequests } = await customers.preferencesOf(ctx, id);
  return {
    accepts_marketing: one?.acceptsMarketing ?? false,
    cart_reminders: cartReminders,
    review_requests: reviewRequests,
  };
}

/** Changes which emails a customer wants. @param consent the words beside the choice, where a page showed some */
export async function changePreferences(
  ctx: Ctx,
  id: string,
  sent: z.output<typeof PreferencesBody>,
  consent: { readonly text?: string; readonly locale?: string } = {},
): Promise<Preferences> {
  const { accepts_marketing: granted, cart_reminders: cartReminders, review_requests: reviewRequests } = sent;
  const part = {
    ...(cartReminders !== undefined && { cartReminders }),
    ...(reviewRequests !== undefined && { reviewRequests }),
  };
  await ctx.tx(async (ctx) => {
    if (granted !== undefined) await setMarketing(ctx, id, { granted, source: 'preferences', ...consent });
    if (Object.keys(part).length > 0) await customers.setPreferences(ctx, id, part);
  });
  return preferencesOf(ctx, id);
}

/**
 * Deletes the account of a customer, who gives the password again: it is erased, and every session ends.
 *
 * @throws AppError VALIDATION_ERROR for a wrong word or password
 */
export async function deleteAccount(
  ctx: Ctx,
  id: string,
  { password, confirm }: { readonly password: string; readonly confirm: string },
): Promise<Erased> {
  if (confirm !== DELETE_WORD) throw invalidField('confirm', `must be ${DELETE_WORD}`);
  if (!(await provePassword(ctx, id, password)))
    throw fieldFault('password', 'wrong', 'the password is wrong');
  return eraseCustomer(ctx, id);
}
