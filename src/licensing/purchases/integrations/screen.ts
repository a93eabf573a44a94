import { command, fromStdin, screen } from '#platform/admin/index.ts';
import { IntegrationView, MappingView } from './view.ts';

/** Integrations in the panel (admin.md 5.5). */
export const integrationScreen = screen(IntegrationView, {
  path: '/admin/integrations',
  words: 'stripe paddle payment inbound purchase',
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
      empty:
        'A mapping defines which license a purchased product creates. Add one so that purchases create licenses.',
    },
    events: { label: 'Events', of: 'inbox-events', named: ({ id }) => ({ configId: id }) },
  },
  fields: {
    signingSecret: {
      help: 'The processor shows it where you set up its webhooks. You can enter it later.',
    },
    generateSecret: {
      label: 'Create a signing secret here',
      help: 'For your own shop, which signs with it. By default only GENERIC gets one.',
    },
    notificationUrl: {
      label: 'Notification URL',
      help: 'Square only: the address as entered there, if it differs from the one shown here.',
    },
    enabled: { help: 'The default is yes.' },
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
    text: 'An integration turns purchases from a payment processor into licenses.',
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
    text: 'A mapping defines which license a purchased product creates.',
    docs: 'purchases',
    cli: 'appctl integration map',
  },
});
