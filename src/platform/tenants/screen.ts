import { command, screen } from '../admin/index.ts';
import { TenantView } from './view.ts';

/** Tenants in the panel (admin.md 5.5). */
export const tenantScreen = screen(TenantView, {
  path: '/admin/tenants',
  area: 'system',
  order: 90,
  title: ({ name }) => name,
  columns: {
    name: {},
    slug: {},
    hostnames: {},
    status: {},
    licenses: {},
    createdAt: { label: 'Created', sort: 'created' },
  },
  labels: { slug: 'Short name', defaultKeyFormatId: 'Default key format' },
  fields: { hostnames: { help: 'One per line. Requests to these host names are for this tenant.' } },
  without: ['reinstate'],
  undo: { suspend: 'resume', resume: 'suspend' },
  commands: {
    create: command('tenant create', { flags: { hostnames: 'hostname' } }),
    suspend: command('tenant suspend', { confirm: 'yes' }),
    resume: command('tenant resume'),
  },
  empty: {
    text: "A tenant is a separate vendor on this installation. Tenants cannot see each other's data.",
    docs: 'serve-several-tenants',
    cli: 'appctl tenant create --slug SLUG --name NAME',
  },
});
