import { command, pairs, screen, yesOrNo } from '#platform/admin/index.ts';
import { ProductView } from './view.ts';

/** Flags of its commands that are not called as their fields. */
const FLAGS = {
  defaultLicenseType: 'default-type',
  defaultDurationDays: 'default-days',
  policyId: 'policy',
  keyFormatId: 'key-format',
  prereleaseNeedsBeta: yesOrNo('prerelease-needs-beta'),
  criticalUpdatesForExpired: yesOrNo('critical-updates-for-expired'),
  statementRequired: yesOrNo('statement-required'),
  metadata: pairs('meta'),
};

const STATUS_COMMANDS: Readonly<Record<string, string>> = {
  ACTIVE: 'product activate',
  DEPRECATED: 'product deprecate',
  DISCONTINUED: 'product discontinue',
};

/** Products in the panel (admin.md 5.5). */
export const productScreen = screen(ProductView, {
  path: '/admin/products',
  area: 'licensing',
  order: 60,
  title: ({ name }) => name,
  columns: {
    name: {},
    slug: {},
    type: {},
    status: {},
    licensingMode: { label: 'Mode' },
    licenses: {},
    newestRelease: { kind: 'code' },
    createdAt: { label: 'Created', sort: 'created' },
  },
  labels: {
    slug: 'Short name',
    policyId: 'Policy',
    keyFormatId: 'Key format',
    prereleaseNeedsBeta: 'Prereleases need a beta license',
    criticalUpdatesForExpired: 'Critical updates for expired licenses',
    statementRequired: 'Clients require signed answers',
  },
  sections: {
    create: [
      { title: 'Product', fields: ['name', 'slug', 'type'] },
      {
        title: 'Licenses of this product',
        help: 'Defaults for new licenses.',
        fields: ['licensingMode', 'defaultLicenseType', 'defaultMaxActivations', 'defaultDurationDays'],
      },
    ],
  },
  fields: {
    name: { example: 'Acme Editor' },
    slug: {
      label: 'Short name',
      example: 'acme-editor',
      help: 'Used in commands and addresses. If you change it later, your clients must be updated.',
    },
    policyId: { label: 'Policy', of: 'policies' },
    keyFormatId: { label: 'Key format', of: 'key-formats' },
  },
  tabs: {
    signingKeys: {
      label: 'Signing keys',
      of: 'signing-keys',
      filters: ({ id }) => ({ productId: id }),
      empty: 'Signing keys of this product appear here. Create one with appctl keys generate.',
    },
    onlineKeys: {
      label: 'Online keys',
      of: 'online-keys',
      filters: ({ id }) => ({ productId: id }),
      empty: 'Online keys of this product appear here. Create one with appctl keys online create.',
    },
  },
  duplicate: { without: ['name', 'slug'] },
  commands: {
    create: command('product create', {
      flags: { ...FLAGS, status: (value) => (value === 'ACTIVE' ? [] : null) },
    }),
    change: command('product update', {
      // Other commands change it.
      flags: { ...FLAGS, status: null },
      clears: {
        defaultDurationDays: 'default-days',
        policyId: 'policy',
        keyFormatId: 'key-format',
        metadata: 'meta',
      },
    }),
    status: command(({ status }) => STATUS_COMMANDS[String(status)] ?? null, { flags: { status: () => [] } }),
    remove: command('product delete', { args: ({ slug }) => [String(slug), '--confirm', String(slug)] }),
  },
  empty: {
    text: 'A product is what you sell licenses for.',
    docs: 'sell-licenses',
    cli: 'appctl product create --name NAME --slug SLUG',
  },
  goKey: 'p',
});
