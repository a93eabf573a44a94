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
    role: { of: 'roles', by: 'name', help: 'The role whose permissions the token has.' },
    productIds: { of: 'products', help: 'None of them means all.' },
    isInstanceWide: { help: 'By default it opens this tenant alone.' },
    expiresAt: { help: 'Empty: until it is revoked.' },
  },
  commands: {
    create: command('admin token create', {
      flags: { isInstanceWide: 'instance', productIds: 'product', expiresAt: 'expires' },
    }),
    revoke: command('admin token revoke', { flags: { reason: null }, confirm: 'yes' }),
  },
  empty: {
    text: 'A program that administers the installation signs in with an admin token.',
    docs: 'admin-api',
    cli: 'appctl admin token create --name NAME --role ROLE',
  },
});
