import type { Ctx } from '#kernel/context.ts';
import { consume, issue, look } from '#platform/one-time-tokens/index.ts';
import * as secondFactor from '#platform/second-factor/index.ts';
import {
  type AccountRow,
  changeCustomer,
  credentials,
  emailNormed,
  lockCustomer,
} from '../customers/index.ts';
import { forgetDevices } from '../devices/index.ts';
import { noteMarketing } from '../privacy/index.ts';
import { unhurried } from './floor.ts';
import { refuseToken } from './links.ts';
import { mailVerification } from './mails.ts';
import { asCustomer } from './sign-in.ts';

export const EMAIL_VERIFY = 'shop-email-verify';
const SECONDS = 48 * 3600;

/** What somebody said who registered: it counts once the owner of the address has confirmed it. */
export interface Claim {
  readonly passwordHash: string;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly acceptsMarketing: boolean;
  /** What was read beside that choice, and in which language. */
  readonly consentText: string | null;
  readonly locale: string;
}

/**
 * Mails the link that proves an address. Each registration has its own, which brings its own password along: of several
 * people who registered one address, the one whose link its owner follows has the account (reliability M14).
 *
 * @param ctx of a transaction
 * @param claim null where somebody asks for the link once more: it brings nothing along
 * @returns false where such a mail was written in this minute already
 */
export async function sendVerification(
  ctx: Ctx,
  account: AccountRow,
  claim: Claim | null,
  locale: string,
): Promise<boolean> {
  const data = {
    email: emailNormed(account.email),
    ...(claim && {
      passwordHash: claim.passwordHash,
      firstName: claim.firstName ?? '',
      lastName: claim.lastName ?? '',
      ...(claim.acceptsMarketing && { consent: claim.consentText ?? '', consentLocale: claim.locale }),
    }),
  };
  const asked = { purpose: EMAIL_VERIFY, subjectId: account.id, seconds: SECONDS, data, keepsOthers: true };
  const { token } = await issue(ctx, asked);
  const url = `${ctx.baseUrl}/shop/verify-email/${token}`;
  return (await mailVerification(ctx, account, { url, locale, isAgain: claim === null })) !== null;
}

/** One mail a minute for an account, whoever asks from wherever. */
class TooSoon extends Error {}

/** Mails the link that proves an address once more. Whoever asks learns nothing of whether there is an account. */
export const resendVerification = (ctx: Ctx, address: string, locale: string): Promise<void> =>
  unhurried(
    ctx
      .tx(async (ctx) => {
        const found = await credentials.findByEmail(ctx, address);
        const account = found && (await credentials.lock(ctx, found.id));
        if (account?.status !== 'active' || account.emailVerifiedAt !== null) return;
        if (!(await sendVerification(ctx, account, null, locale))) throw new TooSoon();
      })
      .catch((error: unknown) => {
        if (!(error instanceof TooSoon)) throw error;
      }),
  );

/** The address that a link would prove; null for one that proves nothing any more. */
export async function lookAtVerification(ctx: Ctx, token: string): Promise<{ email: string } | null> {
  const open = await look(ctx, EMAIL_VERIFY, token);
  const account = open && (await credentials.find(ctx, open.subjectId));
  return account && open.data.email === emailNormed(account.email) ? { email: account.email } : null;
}

/**
 * Proves an address by the link that was mailed to it.
 *
 * @throws AppError VALIDATION_ERROR, reason TOKEN_INVALID or TOKEN_EXPIRED: of two that use a link at once, one gets it
 */
export async function verifyEmail(ctx: Ctx, token: string): Promise<{ id: string; email: string }> {
  const proven = await ctx.tx(async (ctx) => {
    const open = await look(ctx, EMAIL_VERIFY, token);
    const account = open && (await credentials.lock(ctx, open.subjectId));
    if (!account || open.data.email !== emailNormed(account.email)) return null;
    if (!(await consume(ctx, EMAIL_VERIFY, token))) return null;
    if (account.emailVerifiedAt === null) await takeOver(asCustomer(ctx, account.id), account, open.data);
    return { id: account.id, email: account.email };
  });
  return proven ?? refuseToken(ctx, EMAIL_VERIFY, token);
}

/** Somebody else registered the address first, and nobody proved it: what they set up is gone (M14). */
async function takeOver(
  ctx: Ctx,
  { id, passwordHash: before }: AccountRow,
  { passwordHash, firstName, lastName, consent, consentLocale }: Readonly<Record<string, string>>,
): Promise<void> {
  const isAnother = passwordHash !== undefined && passwordHash !== before;
  if (isAnother) {
    await credentials.setPassword(ctx, id, passwordHash);
    await secondFactor.remove(ctx, id);
    await forgetDevices(ctx, id);
  }
  const said = { firstName: firstName || null, lastName: lastName || null, phone: null };
  const customer = await lockCustomer(ctx, id);
  const hasAgreed = consent !== undefined;
  if (hasAgreed)
    await noteMarketing(ctx, customer, {
      granted: true,
      source: 'register',
      text: consent,
      locale: consentLocale ?? null,
    });
  await changeCustomer(ctx, customer, {
    emailVerifiedAt: ctx.now(),
    ...(hasAgreed && { acceptsMarketing: true }),
    ...(isAnother && said),
  });
}
