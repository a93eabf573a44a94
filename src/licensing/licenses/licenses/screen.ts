import { command, fromStdin, pairs, screen } from '#platform/admin/index.ts';
import { activity, refusals } from './activity/tabs.ts';
import { entitlementsOf } from './entitlements.ts';
import { AdminLicenseView } from './view.ts';

/** Flags of minting that are not called as their fields; null for what the command has none of. */
const MINT_FLAGS = {
  productId: 'product',
  customerEmail: 'email',
  customerName: 'name',
  policyId: 'policy',
  metadata: pairs('meta'),
  gracePeriodSeconds: null,
  notes: null,
  key: fromStdin('key'),
  mustBeNew: null,
  source: null,
  withKey: () => [],
};

/** What a license may lose, as its command calls it. */
const CHANGE_CLEARS = {
  validUntil: 'valid-until',
  features: 'features',
  policyId: 'policy',
  maxVersion: 'max-version',
  maxUses: 'max-uses',
  gracePeriodSeconds: 'grace',
  orderId: 'order-id',
  metadata: 'meta',
  notes: 'notes',
};

/** Licenses in the panel (admin.md 5.5). */
export const licenseScreen = screen(AdminLicenseView, {
  path: '/admin/licenses',
  words: 'key activation renew suspend revoke',
  area: 'licensing',
  order: 10,
  title: ({ keyMasked }) => keyMasked,
  columns: {
    keyMasked: { label: 'Key' },
    productName: { label: 'Product', sort: 'product' },
    type: {},
    tier: {},
    status: {},
    customerEmail: {
      label: 'Customer',
      sort: 'customer',
      link: ({ customerId }) => `/admin/customers/${customerId}`,
    },
    machines: { label: 'Machines', kind: 'meter', value: (one) => [one.activationsUsed, one.maxActivations] },
    validUntil: { kind: 'date' },
    orderId: { label: 'Order', hidden: true },
    createdAt: { label: 'Created', sort: 'created' },
  },
  labels: {
    maxActivations: 'Machines',
    activationsUsed: 'Machines in use',
    validUntil: 'Valid until',
    gracePeriodSeconds: 'Grace after the end (seconds)',
    maxUses: 'Metered uses',
    currentUses: 'Uses so far',
    maxVersion: 'Newest version',
    productId: 'Product',
    policyId: 'Policy',
    orderId: 'Order',
  },
  facts: {
    status: {},
    suspendedReason: { label: 'Suspension reason' },
    product: {
      kind: 'text',
      value: ({ productName }) => productName,
      link: ({ productId }) => `/admin/products/${productId}`,
    },
    customer: {
      kind: 'text',
      value: ({ customerEmail, customerName }) =>
        customerName ? `${customerName}, ${customerEmail}` : customerEmail,
      link: ({ customerId }) => `/admin/customers/${customerId}`,
    },
    type: {},
    tier: {},
    machines: { kind: 'meter', value: (one) => [one.activationsUsed, one.maxActivations] },
    validUntil: { kind: 'date', value: ({ validUntil }) => validUntil ?? 'never ends' },
    graceExpiresAt: { label: 'Grace period ends', kind: 'date' },
    uses: {
      label: 'Uses',
      kind: 'meter',
      value: ({ currentUses, effectiveMaxUses }) =>
        currentUses === 0 && effectiveMaxUses === null ? null : [currentUses, effectiveMaxUses],
    },
    maxVersion: {},
    effectiveFeatures: { label: 'Features' },
    effectivePolicyId: {
      label: 'Policy',
      link: ({ effectivePolicyId }) => `/admin/policies/${effectivePolicyId}`,
    },
    orderId: {},
    metadata: {},
    notes: {},
    source: { label: 'Created by' },
    createdAt: { label: 'Created', kind: 'date' },
    deletedAt: { label: 'In the trash since', kind: 'date' },
    id: {},
  },
  tabs: {
    machines: { label: 'Machines', of: 'activations', filters: ({ id }) => ({ licenseId: id }) },
    usage: { label: 'Usage', of: 'usage', filters: ({ id }) => ({ licenseId: id }) },
    entitlements: {
      label: 'Entitlements',
      template: 'licensing/entitlements',
      load: (ctx, view) => entitlementsOf(ctx, view),
    },
    timeline: { label: 'Timeline', of: 'events', filters: ({ id }) => ({ licenseId: id }) },
    deliveries: {
      label: 'Deliveries',
      of: 'deliveries',
      filters: ({ id }) => ({ subject: id }),
      empty: 'Events of this license that are sent to webhooks appear here.',
    },
    activity: { label: 'Activity', template: 'licensing/licenses/activity', load: activity },
    refusals: { label: 'Refusals', template: 'licensing/licenses/refusals', load: refusals },
    abuse: {
      label: 'Abuse signals',
      of: 'abuse-flags',
      filters: ({ id }) => ({ licenseId: id }),
    },
    requests: {
      label: 'Requests',
      of: 'requests',
      filters: ({ id }) => ({ licenseId: id }),
      empty: "License API calls with this license's key appear here.",
    },
    explain: { label: 'Explain', href: ({ id }) => `/admin/simulator?licenseId=${encodeURIComponent(id)}` },
    'offline-token': {
      label: 'Offline token',
      needs: 'licensing:secrets',
      when: ({ deletedAt }) => deletedAt === undefined,
      href: ({ id }) => `/admin/licenses/${encodeURIComponent(id)}/offline-token`,
    },
  },
  links: [
    { label: 'Several licenses', href: '/admin/licenses/new/several', needs: 'licensing:write' },
    { label: 'From CSV', href: '/admin/licenses/new/csv', needs: 'licensing:write' },
  ],
  views: [
    { name: 'Expiring in 30 days', query: 'status=ACTIVE&expiring=30d' },
    { name: 'Suspended', query: 'status=SUSPENDED' },
    { name: 'Trash', query: 'deleted=true' },
  ],
  sections: {
    create: [
      { title: 'License', fields: ['productId', 'customerEmail', 'customerName', 'orderId'] },
      { title: 'What it includes', fields: ['type', 'tier', 'maxActivations', 'validUntil', 'policyId'] },
    ],
    edit: [
      {
        title: 'What it includes',
        fields: ['type', 'tier', 'maxActivations', 'validUntil', 'policyId', 'features'],
      },
      { title: 'Notes', fields: ['orderId', 'notes', 'metadata'] },
    ],
  },
  fields: {
    productId: { label: 'Product', of: 'products' },
    policyId: { label: 'Policy', help: "Leave empty for the product's policy.", of: 'policies' },
    validUntil: { help: 'Leave empty to use the term of its policy or product.' },
    extendDays: { label: 'Days to add', help: 'Instead of an end date.' },
    fromNow: {
      label: 'Count the days from now',
      help: 'By default they count from the current end date, if that is later.',
    },
    overlapSeconds: {
      label: 'The old key works for (seconds)',
      help: 'Gives the customer time to switch: 86400 is a day. Leave empty to end it immediately.',
    },
    deactivateAll: { label: 'Release all machines' },
    turnOldIntoHoneypot: {
      label: 'Watch the old key',
      help: 'Yes raises an alert when someone uses it after that.',
    },
    source: { kind: 'hidden' },
    withKey: { kind: 'hidden' },
    idempotencyKey: { kind: 'hidden' },
    mustBeNew: { kind: 'hidden' },
    customerId: { label: 'Customer', of: 'customers' },
  },
  without: ['reinstate', 'rows-made'],
  undo: { suspend: 'resume', remove: 'restore' },
  commands: {
    create: command('license mint', { flags: MINT_FLAGS, more: ['--reveal'] }),
    change: command('license update', {
      flags: { policyId: 'policy', gracePeriodSeconds: 'grace', metadata: pairs('meta') },
      clears: CHANGE_CLEARS,
      confirm: 'yes',
    }),
    suspend: command('license suspend', { isForMany: true, confirm: 'yes' }),
    resume: command('license resume', { isForMany: true }),
    revoke: command('license revoke', { isForMany: true, confirm: 'yes' }),
    renew: command('license renew', {
      flags: { validUntil: 'until', extendDays: 'days' },
      isForMany: true,
      confirm: 'yes',
    }),
    set: command('license update', {
      flags: { policyId: 'policy', addFeatures: null, addTags: null, removeTags: null },
    }),
    'change-policy': command('license change-policy', {
      flags: {
        policyId: (value) => [value === '' ? 'POLICY' : String(value)],
        expiry: (value) => ['--expiry', String(value).toLowerCase()],
      },
      confirm: 'yes',
    }),
    restore: command('license restore'),
    purge: command('license purge', { confirm: 'key' }),
    remove: command('license delete', { confirm: 'yes' }),
  },
  empty: {
    text: 'A license lets one customer use one product.',
    docs: 'sell-licenses',
    cli: 'appctl license mint --product SLUG --email EMAIL',
  },
  goKey: 'l',
});
