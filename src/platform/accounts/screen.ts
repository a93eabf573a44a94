import { allows } from '#kernel/actor.ts';
import { localMinute } from '#kernel/local-time.ts';
import { command, fromStdin, screen } from '../admin/index.ts';
import { ROLE_WORDS } from '../permissions/index.ts';
import { sessionsOf } from '../sessions/index.ts';
import { StaffView } from './view.ts';

const roleWords = Object.entries(ROLE_WORDS)
  .map(([role, words]) => `${role}: ${words}.`)
  .join(' ');

/** Staff in the panel (admin.md 5.6). */
export const staffScreen = screen(StaffView, {
  path: '/admin/users',
  words: 'staff team invite password two-factor',
  area: 'system',
  order: 30,
  nav: 'Staff',
  title: ({ name, email }) => name || email,
  columns: {
    name: {},
    email: {},
    roles: {},
    status: {},
    twoFactor: { label: 'Two-factor', kind: 'flag', value: ({ twoFactor }) => twoFactor.enabled },
    lastLoginAt: { label: 'Last sign-in', sort: 'lastLogin' },
    createdAt: { label: 'Created', sort: 'created', hidden: true },
  },
  labels: {
    'invite.url': 'Invitation link (emailed too, once a mail server is set up)',
    'invite.expiresAt': 'Valid until',
  },
  facts: {
    email: {},
    name: {},
    status: {},
    roles: {},
    scopes: {
      label: 'Limited to',
      kind: 'tags',
      value: ({ scopes }) => scopes.map(({ kind, refId }) => `${kind.replace('_', ' ')} ${refId}`),
    },
    twoFactor: { label: 'Two-factor sign-in', value: ({ twoFactor }) => (twoFactor.enabled ? 'On' : 'Off') },
    mustChangePassword: { label: 'Must choose a new password' },
    lockedUntil: { kind: 'date' },
    lastLoginAt: { label: 'Last sign-in' },
    createdAt: { label: 'Created' },
    id: {},
  },
  tabs: {
    sessions: {
      label: 'Sessions',
      template: 'platform/staff-sessions',
      load: async (ctx, { id, email, status }) => {
        const mayChange = allows(ctx.actor, 'users:write');
        const sessions = await sessionsOf(ctx, id);
        return {
          account: email,
          path: `/admin/users/${encodeURIComponent(id)}`,
          mayChange,
          mayView: mayChange && status === 'active' && id !== ctx.actor.id,
          sessions: sessions.map((one) => ({
            id: one.id,
            ip: one.ip ?? '',
            browser: one.userAgent ?? '',
            since: localMinute(new Date(one.createdAt)),
            seen: localMinute(new Date(one.lastSeenAt)),
            isPending: one.isPending,
            once: ctx.newId('frm'),
          })),
        };
      },
    },
  },
  fields: {
    roles: { help: `${roleWords} Permissions of several roles are combined.`, of: 'roles', by: 'name' },
    mustChangePassword: { label: 'Must change the password at first sign-in' },
    password: { help: 'Leave empty to get a link where they choose their own.' },
    scopes: {
      label: 'Limited to',
      help: 'Tenants and license products that they may work with. None selected means all. Write others as a kind and an ID, such as vendor ID.',
      pairs: {
        kind: 'kind',
        id: 'refId',
        of: {
          tenant: { resource: 'tenants', label: 'Tenant' },
          license_product: { resource: 'products', label: 'Product' },
        },
      },
    },
  },
  undo: { disable: 'enable', enable: 'disable' },
  commands: {
    create: command(
      ({ password }) => (password === undefined ? 'admin user create --invite' : 'admin user create'),
      {
        flags: { roles: 'role', password: fromStdin('password') },
      },
    ),
    disable: command('admin user disable', { confirm: 'yes' }),
    enable: command('admin user enable', { confirm: 'yes' }),
    remove: command('admin user delete', { confirm: 'yes' }),
    unlock: command('admin user unlock'),
  },
  empty: {
    text: 'Staff sign in to this panel and the command line. Roles decide what they may do.',
    docs: 'staff-and-roles',
    cli: 'appctl admin user create --email EMAIL --role ROLE',
  },
});
