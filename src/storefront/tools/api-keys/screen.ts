import { command, storeScreen } from '#platform/admin/index.ts';
import { API_KEY_SCOPES } from '#storefront/contract/scopes.ts';
import { StoreKeyView } from './view.ts';

/** Flags of its commands that are not called as their fields. */
const FLAGS = { scopes: 'scope', ipAllowlist: 'ip', allowedOrigins: 'origin', expiresAt: 'expires' };

/** Keys of the shop's API in the panel. */
export const storeKeyScreen = storeScreen(StoreKeyView, {
  path: '/store/settings/api-keys',
  area: 'store',
  order: 910,
  nav: 'API keys',
  title: ({ name }) => name,
  columns: {
    name: {},
    prefix: { kind: 'code' },
    scopes: {},
    lastUsedAt: { label: 'Last used', sort: 'lastUsed' },
    expiresAt: { label: 'Expires', sort: 'expires' },
    revokedAt: { label: 'Revoked' },
    createdAt: { label: 'Created', sort: 'created', hidden: true },
  },
  labels: {
    ipAllowlist: 'Allowed IP addresses',
    allowedOrigins: 'Allowed origins',
    key: 'API key',
  },
  facts: {
    prefix: { kind: 'code' },
    scopes: {},
    ipAllowlist: {},
    allowedOrigins: {},
    lastUsedAt: { label: 'Last used' },
    expiresAt: { label: 'Expires', kind: 'date' },
    revokedAt: { label: 'Revoked', kind: 'date' },
    createdAt: { label: 'Created', kind: 'date' },
    id: {},
  },
  fields: {
    scopes: {
      help: 'Write scopes include read access.',
      options: API_KEY_SCOPES.map((scope) => ({ value: scope, label: scope })),
    },
    ipAllowlist: { help: 'Such as 203.0.113.7 or 10.0.0.0/8, one per line. Leave empty to allow all.' },
    allowedOrigins: { help: 'Origins such as https://app.example.com, one per line. Leave empty for none.' },
    overlapSeconds: { label: 'Old key works for (seconds)' },
  },
  duplicate: { without: ['name'] },
  commands: { create: command('apikey create --service store', { flags: FLAGS }) },
  empty: {
    text: 'Programs call the shop API with an API key.',
    docs: 'call-the-api',
    cli: 'appctl apikey create --service store --name sync --scope products:read',
  },
});
