import { command, fromStdin, screen } from '#platform/admin/index.ts';
import { IntegrationView, MappingView } from './view.ts';

/** Integrations in the panel (admin.md 5.5). */
export const integrationScreen = screen(IntegrationView, {
  path: '/admin/integrations',
  area: 'licensing',
  order: 120,
  key: 'id',
  title: ({ name }) => name,
  columns: {
    name: {},
    processor: { kind: 'text' },
    enabled: {},
    lastEventAt: { label: 'Last event', sort: 'lastEvent' },
    createdAt: { label: 'Created', sort: 'created', hidden: true },
  },
  tabs: {
    connect: {
      label: 'Connect',
      template: 'licensing/integrations/connect',
      load: async (_ctx, { id, url }) => ({
        url,
        eventsHref: `/admin/integrations/${encodeURIComponent(id)}/events?status=FAILED`,
      }),
    },
    mappings: {
      label: 'Mappings',
      of: 'mappings',
      named: ({ id }) => ({ configId: id }),
      empty: 'A mapping says which license a purchased product makes. Add one, and purchases make licenses.',
    },
    events: { label: 'Events', of: 'inbox-events', named: ({ id }) => ({ configId: id }) },
  },
  fields: {
    signingSecret: {
      help: 'The processor shows it where its webhooks are set up. It may be entered later.',
    },
    generateSecret: {
      label: 'Make a signing secret here',
      help: 'For a shop of your own, which signs with it. Default makes one for GENERIC only.',
    },
    notificationUrl: {
      label: 'Notification URL',
      help: 'Square only: the address as it is entered there, where it differs from the one shown here.',
    },
    enabled: { help: 'Default is yes.' },
  },
  commands: {
    create: command('integration create', {
      flags: {
        processor: (value) => ['--processor', value === '' ? 'PROCESSOR' : String(value).toLowerCase()],
        signingSecret: fromStdin('secret'),
        enabled: (value) => (value === false ? null : []),
      },
    }),
    remove: command('integration delete', { confirm: 'key' }),
  },
  empty: {
    text: 'An integration turns what a payment processor reports into licenses.',
    docs: 'purchases',
    cli: 'appctl integration create --processor stripe --name NAME',
  },
});

/** Which purchased product makes which license. */
export const mappingScreen = screen(MappingView, {
  path: '/admin/integrations/{configId}/mappings',
  area: 'licensing',
  title: ({ externalProductId }) => externalProductId,
  columns: {
    externalProductId: { label: 'Product at the processor', kind: 'code' },
    productSlug: { label: 'Product', kind: 'text' },
    licenseType: {},
    licenseTier: {},
    maxActivations: { label: 'Machines' },
    durationDays: { label: 'Term (days)' },
    onRefund: {},
  },
  fields: { productId: { label: 'Product', of: 'products' }, policyId: { label: 'Policy', of: 'policies' } },
  commands: {
    create: command('integration map', {
      place: ({ configId = '' }) => [configId],
      flags: {
        externalProductId: 'external',
        productId: 'product',
        licenseType: 'type',
        licenseTier: 'tier',
        durationDays: 'days',
        policyId: 'policy',
      },
    }),
  },
  empty: {
    text: 'A mapping says which license a purchased product makes.',
    docs: 'purchases',
    cli: 'appctl integration map',
  },
});
