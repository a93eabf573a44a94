import { command, screen } from '#platform/admin/index.ts';
import { HitView, HoneypotView } from './view.ts';

/** Canary keys in the panel (admin.md 5.5). */
export const honeypotScreen = screen(HoneypotView, {
  path: '/admin/honeypots',
  area: 'insights',
  order: 50,
  nav: 'Canary keys (honeypots)',
  title: ({ label, keyMasked }) => label ?? keyMasked,
  columns: {
    keyMasked: { label: 'Key' },
    label: {},
    kind: {},
    productSlug: { label: 'Product', kind: 'text' },
    hits: { label: 'Uses' },
    lastHitAt: { label: 'Last used' },
    createdAt: { label: 'Created', sort: 'created', hidden: true },
  },
  fields: {
    productId: { label: 'Product', of: 'products' },
    keyFormatId: { label: 'Key format', of: 'key-formats' },
    blockIpSeconds: { label: 'Block the address for (seconds)' },
  },
  tabs: { hits: { label: 'Uses', of: 'honeypot-hits', named: ({ id }) => ({ id }) } },
  commands: {
    create: command('honeypot create', {
      flags: { productId: 'product', keyFormatId: 'key-format', blockIpSeconds: 'block-ip' },
      more: ['--reveal'],
    }),
    remove: command('honeypot delete', { confirm: 'yes' }),
  },
  empty: {
    text: 'A canary key belongs to nobody. Using it raises an alert, because the key was leaked or guessed.',
    docs: 'replace-a-leaked-key',
    cli: 'appctl honeypot create --product SLUG',
  },
});

/** Who used a canary key, below it. */
export const honeypotHitScreen = screen(HitView, {
  path: '/admin/honeypots/{id}/hits',
  area: 'insights',
  title: ({ endpoint }) => endpoint,
  key: 'id',
  columns: {
    lastAt: { label: 'Last', kind: 'date' },
    ip: { label: 'Address', kind: 'code' },
    endpoint: { kind: 'code' },
    machineId: { label: 'Machine' },
    count: { label: 'Times' },
    userAgent: { hidden: true },
    firstAt: { label: 'First', hidden: true },
  },
  empty: {
    text: 'Nobody has used this key yet.',
    docs: 'replace-a-leaked-key',
    cli: 'appctl honeypot hits ID',
  },
});
