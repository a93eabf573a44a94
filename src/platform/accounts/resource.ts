import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { type Action, action, adminResource, answering, beside, noting } from '../admin/index.ts';
import { changeStaff, changing } from './changes.ts';
import { type LinkPurpose, linkFor } from './links.ts';
import { mailInvite } from './mails.ts';
import { resetPassword } from './password-change.ts';
import { endSession, endSessions, resetTwoFactor, sessionsOf } from './protection.ts';
import { staffRows } from './queries.ts';
import * as rights from './rights/rights.ts';
import * as schemas from './schemas.ts';
import { staffScreen } from './screen.ts';
import * as staff from './staff.ts';
import { staffStoreTwin } from './store-twin.ts';
import { StaffView } from './view.ts';

const { StaffCreate, StaffUpdate } = schemas;

/** What every change of an account asks for (admin.md 7). */
const needed = { needs: 'users:write', sudo: true } as const;

const changeOf = (
  label: string,
  summary: string,
  where: Action['where'],
  run: (ctx: Ctx, id: string) => Promise<StaffView>,
  when: (row: StaffView) => boolean,
): Action<StaffView> =>
  action<StaffView>({
    ...needed,
    label,
    summary,
    when,
    level: 'moderate',
    where,
    conditional: true,
    run: (ctx, named, _input, how) => changing(ctx, named, how, run),
  });

const linkOf = <F extends z.ZodObject = z.ZodObject<Record<never, never>>>(
  purpose: LinkPurpose,
  summary: string,
  input?: F,
): Action<StaffView> =>
  answering<StaffView, typeof schemas.StaffLink, z.ZodObject>({
    ...needed,
    label: 'Make a link for',
    summary,
    level: 'moderate',
    where: 'row',
    ...(input && { input }),
    output: schemas.StaffLink,
    run: async (ctx, named, { seconds }, how) => {
      const user = await staff.get(ctx, named);
      return noting(ctx, how).tx(async (ctx) => {
        const link = await linkFor(ctx, purpose, user.id, seconds as number | undefined);
        if (purpose === 'invite') await mailInvite(ctx, user, link);
        return link;
      });
    },
  });

/** Accounts of people who work with the panel, for staff (admin.md 6.2). */
export const staffResource = adminResource<StaffView, typeof StaffCreate, typeof StaffUpdate>({
  name: 'users',
  labels: { one: 'account', many: 'accounts' },
  about: 'Staff accounts',
  needs: { read: 'users:read', write: 'users:write' },
  screen: staffScreen,
  rows: staffRows,
  ofInstallation: true,
  get: staff.get,
  create: {
    schema: StaffCreate,
    summary: 'Add an account with a password, or leave the password out to invite its owner by a link',
    sudo: true,
    beside: { invite: schemas.StaffLink.nullable() },
    async run(ctx, { password, mustChangePassword = false, roles = [], ...given }, how) {
      const noted = noting(ctx, how);
      const input = { ...given, roles };
      if (password === undefined) {
        const { user, link } = await staff.invite(noted, input);
        return beside(user, { invite: link });
      }
      const user = await staff.create(noted, { ...input, password, mustChangePassword });
      return beside(user, { invite: null });
    },
  },
  edit: {
    schema: StaffUpdate,
    summary:
      'Change the name, address, roles or scopes of an account; fields that are not sent stay as they are',
    sudo: true,
    run: (ctx, named, input, how) => changing(ctx, named, how, (ctx, id) => changeStaff(ctx, id, input)),
  },
  remove: {
    level: 'moderate',
    summary: 'Delete an account; the audit log keeps its name',
    sudo: true,
    run: (ctx, named, how) => changing(ctx, named, how, rights.remove),
  },
  actions: {
    disable: changeOf(
      'Disable',
      'Disable an account and end its sessions and tokens',
      'both',
      rights.disable,
      ({ status }) => status !== 'disabled',
    ),
    enable: changeOf(
      'Enable',
      'Enable a disabled account again',
      'both',
      rights.enable,
      ({ status }) => status === 'disabled',
    ),
    unlock: changeOf(
      'Unlock',
      'Unlock an account that was locked after wrong passwords',
      'row',
      staff.unlock,
      ({ lockedUntil }) => lockedUntil !== null,
    ),
    invite: {
      ...linkOf('invite', 'Create a new link for an invited person; the old link stops working'),
      when: ({ status }) => status === 'invited',
    },
    'reset-link': linkOf('reset-password', 'Create a link to choose a new password'),
    'login-link': linkOf(
      'login-link',
      'Create a link that signs in once, without a password',
      schemas.LoginLinkBody,
    ),
    'reset-password': answering({
      ...needed,
      label: 'Reset the password of',
      summary: 'Set a new password for an account and end its sessions and login tokens',
      level: 'moderate',
      where: 'row',
      input: schemas.StaffPasswordBody,
      output: schemas.SessionsRevoked,
      async run(ctx, named, { password, mustChangePassword = false }, how) {
        const { id } = await staff.get(ctx, named);
        return resetPassword(noting(ctx, how), id, { password, mustChangePassword });
      },
    }),
    'reset-2fa': action<StaffView>({
      ...needed,
      label: 'Reset two-factor sign-in of',
      summary: 'Turn off two-factor sign-in for someone who lost the app and the recovery codes',
      level: 'moderate',
      where: 'row',
      beside: { wasOn: z.boolean() },
      answer: 'StaffTwoFactorReset',
      run: (ctx, named, _input, how) =>
        changing(ctx, named, how, async (ctx, id) => {
          const wasOn = await resetTwoFactor(ctx, id);
          return beside(await staff.get(ctx, id), { wasOn });
        }),
    }),
    sessions: answering({
      label: 'Show the sessions of',
      summary: 'List the browsers where an account is signed in',
      needs: 'users:read',
      level: 'mild',
      where: 'row',
      method: 'get',
      output: schemas.StaffSessions,
      run: async (ctx, named) => ({ items: [...(await sessionsOf(ctx, (await staff.get(ctx, named)).id))] }),
    }),
    'end-sessions': answering({
      ...needed,
      label: 'End the sessions of',
      summary: 'End the sessions of an account, or one of them',
      level: 'moderate',
      where: 'row',
      input: schemas.EndSessionsBody,
      output: schemas.SessionsRevoked,
      run: (ctx, named, { sessionId }, how) =>
        changing(ctx, named, how, async (ctx, id) => {
          if (sessionId === undefined) return { sessionsRevoked: await endSessions(ctx, id, null) };
          await endSession(ctx, id, sessionId);
          return { sessionsRevoked: 1 };
        }),
    }),
  },
  apis: [
    { surface: 'license-admin', path: '/users', item: 'user', view: StaffView, toView: (user) => user },
    staffStoreTwin,
  ],
});
