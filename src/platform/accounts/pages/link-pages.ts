import { z } from 'zod';
import { text } from '#kernel/http/fields.ts';
import { type Page, page, type Shown, show } from '#kernel/http/page.ts';
import { isMailSent } from '../../mail/index.ts';
import { minPasswordLength } from '../../passwords/index.ts';
import { forgetProof } from '../../sessions/index.ts';
import { lookAt } from '../links.ts';
import { askForReset } from '../mails.ts';
import { usePasswordLink } from '../password-change.ts';
import { signInByLink } from '../protection.ts';
import { resetTries } from '../tries.ts';
import { NewPassword, requireSame } from './new-password.ts';
import { AREAS, type Area, linkTries, UNTOLD } from './paths.ts';
import { begin } from './sign-in-pages.ts';

const Token = z.object({ token: z.string() });
const limit = { submit: [linkTries] };

/** The same answer for every address: nobody learns who has an account. */
const forgotPage = (area: Area): Page =>
  page({
    path: `${area}/forgot-password`,
    title: 'Forgot your password',
    audience: 'public',
    form: z.object({ email: text({ min: 1, max: 255, trim: true }) }),
    limit: { submit: [resetTries] },
    show: async (ctx) =>
      show('platform/forgot-password', { area, isMailSent: await isMailSent(ctx), isAsked: false }),
    async submit(ctx, { form }) {
      const isSent = await isMailSent(ctx);
      if (isSent) await askForReset(ctx, form.email);
      return show('platform/forgot-password', { area, isMailSent: isSent, isAsked: isSent });
    },
  });

/** What every link shows that opens nothing: whether it was ever one is not said. */
const ended = (area: Area): Shown => show('platform/link-ended', { area }, { status: 404, head: UNTOLD });

/** A mail scanner opens links too: to look at the page uses nothing up, its form does (M14). */
const resetPage = (area: Area): Page =>
  page({
    path: `${area}/reset-password/{token}`,
    title: 'New password',
    audience: 'public',
    params: Token,
    form: z.object(NewPassword),
    limit,
    async show(ctx, { params }) {
      const account = await lookAt(ctx, 'reset-password', params.token);
      if (!account) return ended(area);
      const fewest = ctx.settings.get(minPasswordLength);
      return show('platform/reset-password', { email: account.email, fewest }, { head: UNTOLD });
    },
    async submit(ctx, { params, form }) {
      const account = await lookAt(ctx, 'reset-password', params.token);
      if (!account) return ended(area);
      requireSame(form);
      const { email } = account;
      const changed = await usePasswordLink(ctx, 'reset-password', params.token, form);
      return changed ? show('platform/password-set', { area, email }, { head: UNTOLD }) : ended(area);
    },
  });

const invitePage = (area: Area): Page =>
  page({
    path: `${area}/invite/{token}`,
    title: 'Invitation',
    audience: 'public',
    params: Token,
    form: z.object({ name: text({ min: 1, max: 255, trim: true }), ...NewPassword }),
    limit,
    async show(ctx, { params }) {
      const account = await lookAt(ctx, 'invite', params.token);
      if (!account) return ended(area);
      const fewest = ctx.settings.get(minPasswordLength);
      const { email, name } = account;
      return show('platform/invite', { email, fewest }, { head: UNTOLD, values: { name } });
    },
    async submit(ctx, { params, form }) {
      const account = await lookAt(ctx, 'invite', params.token);
      if (!account) return ended(area);
      requireSame(form);
      const { email } = account;
      const joined = await usePasswordLink(ctx, 'invite', params.token, form);
      return joined ? show('platform/password-set', { area, email }, { head: UNTOLD }) : ended(area);
    },
  });

const signInLinkPage = (area: Area): Page =>
  page({
    path: `${area}/login-link/{token}`,
    title: 'Sign in',
    audience: 'public',
    params: Token,
    limit,
    async show(ctx, { params }) {
      const account = await lookAt(ctx, 'login-link', params.token);
      return account ? show('platform/login-link', { email: account.email }, { head: UNTOLD }) : ended(area);
    },
    async submit(ctx, { params, visitor }) {
      const account = await signInByLink(ctx, params.token);
      if (!account) return ended(area);
      // Whoever was signed in here before may have given a password; this one has not.
      forgetProof(visitor.session);
      return begin(ctx, visitor, account, { area });
    },
  });

export const linkPages: readonly Page[] = AREAS.flatMap((area) => [
  forgotPage(area),
  resetPage(area),
  invitePage(area),
  signInLinkPage(area),
]);
