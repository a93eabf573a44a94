import { screen } from '#platform/admin/index.ts';
import { ApiKeyView } from '#platform/api-keys/view.ts';

/** API keys of the license service in the panel (admin.md 5.6). */
export const apiKeyScreen = screen(ApiKeyView, {
  path: '/admin/api-keys',
  area: 'licensing',
  order: 130,
  nav: 'API keys',
  title: ({ name }) => name,
  columns: {
    name: {},
    prefix: { kind: 'code' },
    scope: {},
    productIds: { label: 'Products', hidden: true },
    lastUsedAt: { label: 'Last used', sort: 'lastUsed' },
    expiresAt: { label: 'Expires', sort: 'expires' },
    revokedAt: { label: 'Revoked' },
    createdAt: { label: 'Created', sort: 'created', hidden: true },
  },
  labels: {
    ipAllowlist: 'Addresses that may use it',
    allowedOrigins: 'Web pages that may use it',
    rawKey: 'API key',
  },
  fields: {
    productIds: { label: 'Products', help: 'None of them means all.', of: 'products' },
    ipAllowlist: { help: 'Addresses or ranges, one a line. Empty for all.' },
    allowedOrigins: { help: 'Origins such as https://app.example.com, one a line. Empty for none.' },
    limits: { help: 'Requests a minute by bucket, in place of the defaults.' },
    overlapSeconds: { label: 'The old key works for (seconds)' },
  },
  empty: {
    text: 'Your application opens the license API with an API key.',
    docs: 'call-the-api',
    cli: 'appctl apikey create --service license --name app --scope VALIDATE_ONLY',
  },
});
