import type { Ctx } from '#kernel/context.ts';
import { hashPassword } from '#platform/passwords/index.ts';
import { requireEmailVerification } from '#storefront/contract/selling-settings.ts';
import { createAccount, credentials } from '../customers/index.ts';
import { unhurried } from './floor.ts';
import { mailAccountExists } from './mails.ts';
import { checkPassword } from './passwords.ts';
import { sendVerification } from './verification.ts';

/** What somebody who registers says. */
export interface Registration {
  readonly email: string;
  readonly password: string;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly acceptsMarketing: boolean;
  /** What was read beside that choice, where a page showed it. */
  readonly consentText?: string;
  /** Language of the mails. */
  readonly locale: string;
}

/** What became of a registration. */
export interface Registered {
  /** Its link, mailed to the address, has to be followed before the customer may sign in. */
  readonly needsVerification: boolean;
  /** The account, where it may sign in at once; null otherwise, and where the address had one. */
  readonly signedInId: string | null;
}

/**
 * Registers a customer. An address that has an account is answered alike, after the same work: its owner alone is told,
 * by mail.
 *
 * @throws AppError VALIDATION_ERROR for a password that is too weak; RATE_LIMITED when too many passwords wait to be hashed
 */
export async function register(ctx: Ctx, input: Registration): Promise<Registered> {
  checkPassword(ctx, input.password, input.email);
  return unhurried(registeredAs(ctx, input));
}

async function registeredAs(ctx: Ctx, { password, ...input }: Registration): Promise<Registered> {
  const needsVerification = ctx.settings.get(requireEmailVerification);
  // Before the transaction: hashing takes long and no lock may wait for it.
  const passwordHash = await hashPassword(ctx, password);
  return ctx.tx(async (ctx) => {
    const { email, firstName, lastName, locale, acceptsMarketing, consentText = null } = input;
    const claim = { passwordHash, firstName, lastName, acceptsMarketing, consentText, locale };
    // Until the address is proven, nobody has agreed to anything for it.
    const said = {
      email,
      firstName,
      lastName,
      locale,
      acceptsMarketing: acceptsMarketing && !needsVerification,
    };
    const made = await createAccount(ctx, said, passwordHash, { source: 'register', text: consentText });
    const account = made
      ? await credentials.find(ctx, made.id)
      : await credentials.findByEmail(ctx, input.email);
    if (!account) throw new Error('an account that was just made is not there');
    const isFree = account.emailVerifiedAt === null && needsVerification && account.status === 'active';
    // Each of several who registered an address brings the password along in the link of its own mail. The first one's
    // must not be the account's when its owner follows a link that brings none (reliability M14).
    if (!made && isFree) await credentials.dropPassword(ctx, account.id);
    if (made || isFree) await sendVerification(ctx, account, claim, locale);
    else await mailAccountExists(ctx, account, locale);
    return { needsVerification, signedInId: made && !needsVerification ? made.id : null };
  });
}
