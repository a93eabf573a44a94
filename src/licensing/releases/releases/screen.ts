import { command, screen } from '#platform/admin/index.ts';
import { adoption, shipping } from './ship/tab.ts';
import { ReleaseView } from './view.ts';

/** Releases in the panel (admin.md 5.5). */
export const releaseScreen = screen(ReleaseView, {
  path: '/admin/releases',
  words: 'update version download bundle rollout',
  area: 'licensing',
  order: 90,
  title: ({ product, version }) => `${product} ${version}`,
  columns: {
    version: { kind: 'code' },
    product: { kind: 'text' },
    channel: {},
    platform: { value: ({ platform, arch }) => `${platform} ${arch}` },
    state: {},
    bundleSize: { label: 'Size', kind: 'bytes' },
    signed: { kind: 'flag', value: ({ signature }) => signature !== null },
    rollout: { kind: 'percent', value: ({ rollout }) => rollout.percent },
    publishedAt: { label: 'Published', sort: 'published' },
    isCritical: { label: 'Critical', hidden: true },
    createdAt: { label: 'Created', sort: 'created', hidden: true },
  },
  facts: {
    product: {
      kind: 'text',
      link: ({ productId }) => `/admin/products/${encodeURIComponent(productId)}`,
    },
    version: { kind: 'code' },
    channel: {},
    platform: { value: ({ platform, arch }) => `${platform || 'any'} ${arch || ''}`.trim() },
    state: {},
    bundleFilename: { label: 'File' },
    bundleSize: { label: 'Size', kind: 'bytes' },
    isCritical: { label: 'Critical' },
    requiresMigration: {},
    minFromVersion: { label: 'From version', kind: 'code' },
    requiredEntitlements: {},
    changelog: {},
    sequence: {},
    publishedAt: { label: 'Published', kind: 'date' },
    updatedAt: { label: 'Changed' },
  },
  tabs: {
    ship: { label: 'Ship', template: 'licensing/releases/ship', load: shipping },
    adoption: { label: 'Adoption', template: 'licensing/releases/adoption', load: adoption },
  },
  undo: { yank: 'unyank' },
  commands: {
    create: command('release create', {
      flags: {
        productId: 'product',
        isCritical: 'critical',
        minFromVersion: 'min-from',
        requiredEntitlements: 'entitlement',
        changelog: null,
        rolloutPercent: (value) => (value === 100 ? [] : null),
      },
    }),
    yank: command('release yank', { confirm: 'yes' }),
    archive: command('release archive', { confirm: 'yes' }),
    rollout: command('release rollout', {
      flags: { schedule: null, paused: (value) => [value === true ? '--pause' : '--resume'] },
    }),
    remove: command('release delete', { confirm: 'yes' }),
  },
  fields: {
    productId: { label: 'Product', of: 'products' },
    version: { example: '2.1.0' },
    channel: { help: 'The default is stable.' },
    platform: { help: 'Such as windows, macos or linux. Leave empty for any.' },
    arch: { label: 'Processor', help: 'Such as x64 or arm64. Leave empty for any.' },
    changelog: { label: "What's new", kind: 'textarea' },
    isCritical: { label: 'Critical', help: 'Applications should update immediately.' },
    requiresMigration: { label: 'Requires a migration' },
    minFromVersion: { label: 'Oldest version that can update to it', help: 'Leave empty for all versions.' },
    requiredEntitlements: {
      label: 'Required entitlements',
      help: 'One per line. Leave empty for all licenses.',
    },
    rolloutPercent: {
      label: 'Offered to (%)',
      help: 'Percentage of installations, 0 to 100. Leave empty for all.',
    },
  },
  empty: {
    text: 'A release is a signed version of a product that clients update to.',
    docs: 'ship-a-release',
    cli: 'appctl release ship FILE --product SLUG --version 1.2.3',
  },
  goKey: 'r',
});
