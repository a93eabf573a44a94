import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { flag, instant, text } from '#kernel/http/fields.ts';
import { invalidField } from '#kernel/service/errors.ts';
import { later } from '#kernel/sharing.ts';
import {
  type Action,
  action,
  answering,
  beside,
  changing as editing,
  making,
  noting,
  type Twin,
} from '../admin/index.ts';
import * as roles from '../roles/index.ts';
import { changeStaff, changing } from './changes.ts';
import { type Link, linkFor } from './links.ts';
import { mailInvite } from './mails.ts';
import { resetTwoFactor } from './protection.ts';
import * as rights from './rights/rights.ts';
import { MOST_ROLES, StaffUpdate } from './schemas.ts';
import * as staff from './staff.ts';
import { AdminUserView, adminUserViews } from './store-view.ts';
import type { StaffView } from './view.ts';

const roleIds = () => z.array(text({ min: 1, max: 63 }), { error: roleListFault }).max(MOST_ROLES);

const roleListFault = ({ input }: { input?: unknown }): string =>
  input === undefined ? 'is required' : 'must be a list';

const Inviting = later(() =>
  z.strictObject({
    email: text({ min: 1, max: 255 }),
    name: text({ min: 1, max: 255 }),
    roleIds: roleIds(),
  }),
);
const Update = later(() =>
  z.strictObject({
    ...StaffUpdate.pick({ name: true, scopes: true }).shape,
    roleIds: roleIds().optional(),
  }),
);
const Reason = z.strictObject({ reason: text({ min: 1, max: 500 }) });

const Invite = z
  .object({ url: z.string(), expires_at: instant() })
  .describe('Shown only once; without email it is the only way to sign in');

const Sent = z.object({ sent: flag(), invite: Invite }).meta({ id: 'AdminUserInviteSent' });
const Reset = z.object({ reset: flag() }).meta({ id: 'AdminUserTwoFactorReset' });

const shown = ({ url, expiresAt }: Link): z.output<typeof Invite> => ({ url, expires_at: expiresAt });

/** Names of roles, by their ids. @throws AppError VALIDATION_ERROR about `role_ids` */
async function namesOf(ctx: Ctx, ids: readonly string[]): Promise<string[]> {
  const found = ids.map((id) =>
    roles.get(ctx, id).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'NOT_FOUND')
        throw invalidField('role_ids', `${JSON.stringify(id)} is not a role`);
      throw error;
    }),
  );
  return (await Promise.all(found)).map(({ name }) => name);
}

/** What every change of an account asks for (admin.md 7). */
const needed = { needs: 'users:write', sudo: true, where: 'row', level: 'moderate' } as const;

const changeOf = (
  label: string,
  summary: string,
  run: (ctx: Ctx, id: string) => Promise<StaffView>,
): Action<StaffView> =>
  action<StaffView>({
    ...needed,
    label,
    summary,
    run: (ctx, named, _input, how) => changing(ctx, named, how, run),
  });

const own = {
  create: making<StaffView, typeof Inviting>({
    schema: Inviting,
    summary: 'Invite a person, who chooses a password with a link',
    sudo: true,
    beside: { invite: Invite },
    async run(ctx, { roleIds, ...given }, how) {
      const input = { ...given, roles: await namesOf(ctx, roleIds) };
      const { user, link } = await staff.invite(noting(ctx, how), input);
      return beside(user, { invite: shown(link) });
    },
  }),
  edit: editing<StaffView, typeof Update>({
    schema: Update,
    hasVersion: false,
    summary: 'Change the name, roles or scopes of an account; fields that are not sent stay as they are',
    sudo: true,
    run: (ctx, named, { roleIds, ...input }, how) =>
      changing(ctx, named, how, async (ctx, id) =>
        changeStaff(ctx, id, { ...input, ...(roleIds && { roles: await namesOf(ctx, roleIds) }) }),
      ),
  }),
  actions: {
    disable: changeOf('Disable', 'Disable an account and end its sessions and tokens', rights.disable),
    enable: changeOf('Enable', 'Enable a disabled account again', rights.enable),
    'resend-invite': answering<StaffView, typeof Sent>({
      ...needed,
      label: 'Invite again',
      summary: 'Create a new link for an invited person and email it; the old link stops working',
      output: Sent,
      async run(ctx, named, _input, how) {
        const user = await staff.get(ctx, named);
        return noting(ctx, how).tx(async (ctx) => {
          const link = await linkFor(ctx, 'invite', user.id);
          return { sent: await mailInvite(ctx, user, link), invite: shown(link) };
        });
      },
    }),
    'reset-2fa': answering<StaffView, typeof Reset, typeof Reason>({
      ...needed,
      label: 'Reset two-factor sign-in of',
      summary: 'Turn off two-factor sign-in for someone who lost the app and the recovery codes',
      input: Reason,
      output: Reset,
      run: (ctx, named, { reason }, how) =>
        changing(ctx, named, { ...how, note: reason }, async (ctx, id) => {
          await resetTwoFactor(ctx, id);
          return { reset: true };
        }),
    }),
  },
};

/** Staff in the JSON of the store (storefront-api.md, AN). */
export const staffStoreTwin: Twin<StaffView, typeof AdminUserView> = {
  surface: 'store',
  path: '/users',
  item: 'adminUser',
  type: 'AdminUser',
  view: AdminUserView,
  toViews: (rows, ctx) => adminUserViews(ctx, rows),
  without: ['export', 'bulk'],
  own,
};
