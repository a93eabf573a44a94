import type { Ctx } from '#kernel/context.ts';
import { routeOf } from './sending/route.ts';

/** What a page says of an email that was written a moment ago. */
export interface MailOutcome {
  readonly text: string;
  /** False: it waits until somebody sets up what is missing. */
  readonly isSent: boolean;
}

/** Where staff set up the mail server. */
export const EMAIL_SETTINGS = '/store/settings/email';

/**
 * The one place that says what becomes of an email: nobody should wait for one that does not leave.
 *
 * @param sent what is said where emails leave
 * @param more to whom it goes, and what to do meanwhile, such as `Copy the link.`
 */
export async function mailOutcome(
  ctx: Ctx,
  sent: string,
  { to, instead = '' }: { readonly to?: string; readonly instead?: string } = {},
): Promise<MailOutcome> {
  const route = await routeOf(ctx);
  if (route.kind === 'smtp') return { text: sent, isSent: true };
  const email = to === undefined ? 'The email' : `The email to ${to}`;
  const why =
    route.kind === 'none'
      ? `${email} waits: ${route.missing}.`
      : `${email} is written to a file in ${route.folder}: no mail server is set up.`;
  return { text: `${why} ${instead}`.trimEnd(), isSent: false };
}

/** As `mailOutcome`, for the page after an action. */
export async function mailVerdict(ctx: Ctx, sent: string) {
  const { text, isSent } = await mailOutcome(ctx, sent);
  if (isSent) return { text, isGood: true };
  return { text, isGood: false, link: { label: 'Email settings', href: EMAIL_SETTINGS } };
}
