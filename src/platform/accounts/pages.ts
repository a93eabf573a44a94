import { z } from 'zod';
import { text } from '#kernel/http/fields.ts';
import { goTo, type Page, page, refuseForm, show } from '#kernel/http/page.ts';
import type { RateLimit } from '#kernel/http/rate-limit.ts';
import { isOwnPath } from '#kernel/http/reply.ts';
import { noteSignOut, signIn } from './sign-in.ts';

/** The two halves of the panel; one sign-in opens both, and either has its address. */
const AREAS = ['/admin', '/store'] as const;
const HOME = '/admin/';

/** Of one address, whatever it tries; both sign-in pages share it. */
const tries: RateLimit = { bucket: 'sign-in', max: 10, windowSeconds: 300, by: 'ip' };

const signInPage = (area: (typeof AREAS)[number]): Page =>
  page({
    path: `${area}/login`,
    title: 'Sign in',
    audience: 'public',
    query: z.object({ next: z.string().optional() }),
    form: z.object({ email: text({ min: 1, max: 255 }), password: text({ min: 1, max: 1000 }) }),
    limit: { submit: [tries] },
    show: async (_ctx, { visitor, query }) =>
      visitor.actor.kind === 'staff' ? goTo(returnPath(query.next)) : show('platform/login', {}),
    async submit(ctx, { form, query, visitor }) {
      const account = await signIn(ctx, form);
      if (!account)
        throw refuseForm(
          'The email address or the password is wrong. After ten wrong passwords an account is locked for 15 minutes.',
        );
      await visitor.session.signIn({ kind: 'staff', id: account.id, generation: account.generation });
      return goTo(returnPath(query.next));
    },
  });

const signOutPage = (area: (typeof AREAS)[number]): Page =>
  page({
    path: `${area}/logout`,
    title: 'Sign out',
    audience: 'public',
    show: async () => show('platform/logout', {}),
    async submit(ctx, { visitor }) {
      const { kind, id } = visitor.actor;
      if (kind === 'staff' && id !== null) await noteSignOut(ctx, id);
      await visitor.session.signOut();
      return goTo(`${area}/login`);
    },
  });

/** Where somebody wanted to go, as long as that is a page of ours: the address is a stranger's word (A159). */
const returnPath = (asked: string | undefined): string =>
  asked !== undefined && isOwnPath(asked) ? asked : HOME;

export const accountPages: readonly Page[] = AREAS.flatMap((area) => [signInPage(area), signOutPage(area)]);

/** The page on which staff signs in, on the half of the panel that a path belongs to. */
export const staffSignInPath = (path: string | null): string =>
  `${path?.startsWith('/store/') ? '/store' : '/admin'}/login`;
