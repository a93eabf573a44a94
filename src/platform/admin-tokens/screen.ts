import { command, screen } from '../admin/index.ts';
import { AdminTokenView } from './view.ts';

/** Admin tokens in the panel (admin.md 5.6). */
export const adminTokenScreen = screen(AdminTokenView, {
  path: '/admin/tokens',
  area: 'system',
  order: 50,
  nav: 'Admin tokens',
  title: ({ name }) => name,
  columns: {
    name: {},
    role: { kind: 'text' },
    prefix: { kind: 'code' },
    tenant: { hidden: true },
    expiresAt: { label: 'Expires', sort: 'expires' },
    lastUsedAt: { label: 'Last used', sort: 'lastUsed' },
    revokedAt: { label: 'Revoked' },
    createdAt: { label: 'Created', sort: 'created', hidden: true },
  },
  labels: { rawToken: 'Admin token', isInstanceWide: 'Every tenant', productIds: 'Products' },
  fields: {
    role: { of: 'roles', by: 'name', help: "The token has this role's permissions." },
    productIds: { of: 'products', help: 'None selected means all.' },
    isInstanceWide: { help: 'By default the token works for this tenant only.' },
    expiresAt: { help: 'Leave empty to keep it valid until it is revoked.' },
  },
  commands: {
    create: command('admin token create', {
      flags: { isInstanceWide: 'instance', productIds: 'product', expiresAt: 'expires' },
    }),
    revoke: command('admin token revoke', { flags: { reason: null }, confirm: 'yes' }),
  },
  empty: {
    text: 'Programs use admin tokens to call the admin API.',
    docs: 'admin-api',
    cli: 'appctl admin token create --name NAME --role ROLE',
  },
});
