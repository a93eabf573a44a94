import type { Actor } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { passwordSignIn } from '#platform/passwords/index.ts';
import { storeFail } from '#platform/store-answers/index.ts';
import { requireEmailVerification } from '#storefront/contract/selling-settings.ts';
import { type AccountRow, credentials, shopCustomerEvents } from '../customers/index.ts';

/** The customer of an account as who acts: without a name, which no log is to keep. */
export const asCustomer = (ctx: Ctx, id: string): Ctx => {
  const actor: Actor = { kind: 'customer', id, label: null };
  return ctx.with({ actor });
};

/** How customers sign in: as staff do. */
export const { signIn, proveSecondFactor, proveCode, provePassword, admitted, admitNew } =
  passwordSignIn<AccountRow>({
    findByEmail: credentials.findByEmail,
    find: credentials.find,
    lock: credentials.lock,
    // Who is disabled is told so, once the password was right.
    isOpen: () => true,
    requireAdmitted,
    replaceHash: credentials.replaceHash,
    async noteSignIn(ctx, { id }) {
      await credentials.noteSignIn(ctx, id);
      await shopCustomerEvents.tell(asCustomer(ctx, id), 'customer.signed_in', id, { ip: ctx.origin.ip });
    },
    countFailure: credentials.countFailure,
    lockOut: credentials.lockOut,
    tellFailure: (ctx, id, failure) =>
      shopCustomerEvents.tell(ctx, 'customer.sign_in_failed', id, { ...failure, ip: ctx.origin.ip }),
  });

/** @throws AppError AUTH_FORBIDDEN, reason ACCOUNT_DISABLED or EMAIL_NOT_VERIFIED */
function requireAdmitted(ctx: Ctx, { status, emailVerifiedAt }: AccountRow): void {
  if (status !== 'active')
    throw storeFail('AUTH_FORBIDDEN', 'This account is disabled. Contact the shop', {
      details: { reason: 'ACCOUNT_DISABLED' },
    });
  if (emailVerifiedAt === null && ctx.settings.get(requireEmailVerification))
    throw storeFail('AUTH_FORBIDDEN', 'Verify your email address first with the link that we emailed you', {
      details: { reason: 'EMAIL_NOT_VERIFIED' },
    });
}

/** Notes that a customer signs out. */
export const noteSignOut = (ctx: Ctx, id: string): Promise<void> =>
  ctx.tx((ctx) =>
    shopCustomerEvents.tell(asCustomer(ctx, id), 'customer.signed_out', id, { ip: ctx.origin.ip }),
  );
