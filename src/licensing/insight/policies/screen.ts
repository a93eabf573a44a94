import { PolicyView } from '#licensing/catalog/policies/view.ts';
import { command, jsonPairs, screen } from '#platform/admin/index.ts';

/** Flags of its commands that are not called as their fields. */
const FLAGS = {
  heartbeatCullStrategy: 'cull-strategy',
  defaultLeaseDuration: 'default-lease',
  entitlements: jsonPairs('entitlement'),
  gracePeriodSeconds: 'grace',
  defaultDurationDays: 'default-days',
  deactivationWindowDays: 'deactivation-window',
  offlineMaxTtlSeconds: 'offline-max-ttl',
  productIds: (value: unknown) =>
    (value as readonly string[]).length === 1 ? ['--product', String((value as readonly string[])[0])] : null,
};

/** Rules that a policy may lose, as its command calls them. */
const CLEARS = {
  heartbeatInterval: 'heartbeat-interval',
  defaultLeaseDuration: 'default-lease',
  entitlements: 'entitlement',
  defaultDurationDays: 'default-days',
  maxUses: 'max-uses',
  maxVersion: 'max-version',
  maxDeactivations: 'max-deactivations',
  deactivationWindowDays: 'deactivation-window',
  offlineMaxTtlSeconds: 'offline-max-ttl',
};

/** Policies in the panel (admin.md 5.5). */
export const policyScreen = screen(PolicyView, {
  path: '/admin/policies',
  area: 'licensing',
  order: 70,
  title: ({ name }) => name,
  columns: {
    name: {},
    heartbeatInterval: { label: 'Heartbeat (minutes)' },
    heartbeatCullStrategy: { label: 'On a missed heartbeat' },
    defaultLeaseDuration: { label: 'Lease (seconds)' },
    gracePeriodSeconds: { label: 'Grace (seconds)' },
    linked: {
      label: 'Used by',
      value: ({ linked }) => `${linked.products} products, ${linked.licenses} licenses`,
    },
    createdAt: { label: 'Created', sort: 'created', hidden: true },
  },
  labels: {
    heartbeatInterval: 'Heartbeat interval (minutes)',
    heartbeatCullStrategy: 'When heartbeats are missed',
    defaultLeaseDuration: 'Seat lease (seconds)',
    gracePeriodSeconds: 'Grace period (seconds)',
    defaultDurationDays: 'Term of new licenses (days)',
    maxUses: 'Metered uses',
    maxVersion: 'Newest version',
    maxDeactivations: 'Deactivations',
    deactivationWindowDays: 'Within (days)',
    offlineMaxTtlSeconds: 'Offline token lifetime (seconds)',
  },
  sections: {
    create: [
      { title: 'Policy', fields: ['name', 'productIds', 'defaultDurationDays', 'gracePeriodSeconds'] },
      {
        title: 'Heartbeats and seats',
        fields: ['heartbeatInterval', 'heartbeatCullStrategy', 'defaultLeaseDuration'],
      },
      {
        title: 'What it includes',
        fields: ['entitlements', 'maxUses', 'maxVersion', 'offlineMaxTtlSeconds'],
      },
      {
        title: 'Misuse',
        fields: ['maxDeactivations', 'deactivationWindowDays', 'trialReuse', 'abuseAction'],
      },
    ],
    edit: [
      { title: 'Policy', fields: ['name', 'defaultDurationDays', 'gracePeriodSeconds'] },
      {
        title: 'Heartbeats and seats',
        fields: ['heartbeatInterval', 'heartbeatCullStrategy', 'defaultLeaseDuration'],
      },
      {
        title: 'What it includes',
        fields: ['entitlements', 'maxUses', 'maxVersion', 'offlineMaxTtlSeconds'],
      },
      {
        title: 'Misuse',
        fields: ['maxDeactivations', 'deactivationWindowDays', 'trialReuse', 'abuseAction'],
      },
    ],
  },
  fields: {
    defaultDurationDays: { help: 'Leave empty for no term.' },
    gracePeriodSeconds: { help: 'How long an expired license still works: 604800 is a week.' },
    heartbeatInterval: { help: 'How often the application must report. Leave empty to not require it.' },
    heartbeatCullStrategy: { help: 'The default is NO_ACTION.' },
    defaultLeaseDuration: { help: 'How long a floating seat is held after the last report.' },
    entitlements: { help: 'Features as JSON, such as {"export": true, "projects": 10}.' },
    maxUses: { help: 'Leave empty for no limit.' },
    maxVersion: { help: 'Highest version that may run; 2 covers every 2.x. Leave empty for all versions.' },
    offlineMaxTtlSeconds: {
      help: 'Maximum lifetime of an offline token. 2592000 is 30 days, 0 allows none.',
    },
    maxDeactivations: { help: 'How many machines a customer may release within the days below.' },
    trialReuse: { help: 'What happens on a second trial on the same machine. The default is FLAG.' },
    abuseAction: { help: 'What happens to a license with too many signs of abuse. The default is NONE.' },
    productIds: { label: 'Products', of: 'products' },
    licenseIds: { label: 'Licenses', of: 'licenses' },
  },
  duplicate: { without: ['name'] },
  commands: {
    create: command('policy create', { flags: FLAGS }),
    change: command('policy update', { flags: FLAGS, clears: CLEARS }),
    remove: command('policy delete', { confirm: 'yes' }),
  },
  empty: {
    text: 'A policy has rules that products and licenses share, such as heartbeats, seats, grace period and features.',
    docs: 'set-policies',
    cli: 'appctl policy create --name NAME',
  },
});
