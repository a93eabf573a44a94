import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { text } from '#kernel/http/fields.ts';
import { goTo, type Page, page, show } from '#kernel/http/page.ts';
import type { Visitor } from '#kernel/http/visitor.ts';
import { minPasswordLength, passwordFault } from '../../passwords/index.ts';
import { noteProof } from '../../sessions/index.ts';
import { changePassword } from '../password-change.ts';
import { endSession, endSessions, sessionsOf } from '../protection.ts';
import { provePassword } from '../sign-in.ts';
import { get, update } from '../staff.ts';
import { passwordTries } from '../tries.ts';
import { CurrentPassword, NewPassword, requireSame } from './new-password.ts';
import { homeOf, PASSWORD, PROFILE, returnPath } from './paths.ts';

/** What was done, as the page that follows says it. */
const DONE = {
  name: 'Your name was changed.',
  password: 'Your password was changed. All other sessions were signed out.',
  session: 'The session was signed out.',
  sessions: 'All other sessions were signed out.',
  'two-factor-on': 'Two-factor sign-in is on.',
  'two-factor-off': 'Two-factor sign-in is off.',
} as const;
export type Done = keyof typeof DONE;

/** The profile, with a line that says what was done. */
export const doneAt = (done: Done): ReturnType<typeof goTo> => goTo(`${PROFILE}?done=${done}`);

const Next = z.object({ next: z.string().optional() });

/** Id of whoever is signed in: pages of staff are shown to nobody else. */
export const idOf = ({ actor }: Visitor): string => actor.id as string;

const profilePage = page({
  path: PROFILE,
  title: 'Your profile',
  audience: 'staff',
  layout: 'layouts/panel',
  help: 'staff-and-roles',
  query: z.object({ done: z.string().optional() }),
  form: z.object({ name: text({ min: 1, max: 255, trim: true }) }),
  async show(ctx, { visitor, query }) {
    const user = await get(ctx, idOf(visitor));
    const done = Object.hasOwn(DONE, query.done ?? '') ? DONE[query.done as Done] : null;
    const sessions = await shownSessions(ctx, visitor);
    return show('platform/profile', { user, sessions, done }, { values: { name: user.name } });
  },
  async submit(ctx, { visitor, form }) {
    await update(ctx, idOf(visitor), form);
    return doneAt('name');
  },
});

async function shownSessions(ctx: Ctx, visitor: Visitor) {
  const sessions = await sessionsOf(ctx, idOf(visitor));
  return sessions.map((session) => ({ ...session, isThis: session.id === visitor.session.id }));
}

const sessionsPage = page({
  path: `${PROFILE}/sessions`,
  title: 'Your sessions',
  audience: 'staff',
  form: z.object({ session: text({ min: 1, max: 40 }) }),
  show: async () => goTo(PROFILE),
  async submit(ctx, { visitor, form }) {
    if (form.session === 'others') {
      await endSessions(ctx, idOf(visitor), visitor.session.id);
      return doneAt('sessions');
    }
    await endSession(ctx, idOf(visitor), form.session);
    return doneAt('session');
  },
});

const passwordPage = page({
  path: PASSWORD,
  title: 'Change your password',
  audience: 'staff',
  isWhileOwing: true,
  query: Next,
  form: z.object({ ...CurrentPassword, ...NewPassword }),
  limit: { submit: [passwordTries] },
  show: async (ctx, { visitor }) =>
    show('platform/profile-password', {
      fewest: ctx.settings.get(minPasswordLength),
      isOwed: visitor.owes === 'NEW_PASSWORD',
    }),
  async submit(ctx, { visitor, form, query }) {
    requireSame(form);
    const account = await changePassword(ctx, idOf(visitor), form);
    // Every session ended with the old password; this one goes on under a new id.
    noteProof(ctx, visitor.session, account.id);
    await visitor.session.signIn({ kind: 'staff', ...account });
    return query.next === undefined ? doneAt('password') : goTo(returnPath(query.next, PROFILE));
  },
});

const sudoPage = page({
  path: '/admin/sudo',
  title: 'Confirm your password',
  audience: 'staff',
  isWhileOwing: true,
  query: Next,
  form: z.object({ password: text({ min: 1, max: 1000 }) }),
  limit: { submit: [passwordTries] },
  show: async () => show('platform/sudo', {}),
  async submit(ctx, { visitor, form, query }) {
    if (!(await provePassword(ctx, idOf(visitor), form.password)))
      throw passwordFault(
        'The password is wrong. After ten wrong passwords an account is locked for 15 minutes',
      );
    noteProof(ctx, visitor.session, idOf(visitor));
    return goTo(returnPath(query.next, homeOf(visitor.actor)));
  },
});

export const profilePages: readonly Page[] = [profilePage, sessionsPage, passwordPage, sudoPage];
