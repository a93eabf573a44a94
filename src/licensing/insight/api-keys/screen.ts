import { localMinute } from '#kernel/local-time.ts';
import { command, screen } from '#platform/admin/index.ts';
import { ApiKeyDetails } from '#platform/api-keys/view.ts';
import { usedLimits } from './limits.ts';

/** Flags of its commands that are not called as their fields. */
const FLAGS = {
  productIds: 'product',
  ipAllowlist: 'ip',
  allowedOrigins: 'origin',
  limits: (value: unknown) =>
    Object.entries(value as Record<string, { max: number; windowSeconds: number }>).flatMap(
      ([bucket, { max, windowSeconds }]) => ['--limit', `${bucket}=${max}/${windowSeconds}s`],
    ),
  expiresAt: 'expires',
};

/** API keys of the license service in the panel (admin.md 5.6). */
export const apiKeyScreen = screen(ApiKeyDetails, {
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
    calls24h: { label: 'Calls in 24 h' },
    lastUsedAt: { label: 'Last used', sort: 'lastUsed' },
    expiresAt: { label: 'Expires', sort: 'expires' },
    revokedAt: { label: 'Revoked' },
    createdAt: { label: 'Created', sort: 'created', hidden: true },
  },
  labels: {
    ipAllowlist: 'Allowed IP addresses',
    allowedOrigins: 'Allowed origins',
    rawKey: 'API key',
  },
  views: [
    { name: 'Unused for 90 days', query: 'status=ACTIVE&unused=true' },
    { name: 'Expiring within 30 days', query: 'status=ACTIVE&expiring=30d' },
  ],
  facts: {
    prefix: { kind: 'code' },
    scope: {},
    productIds: { label: 'Products' },
    ipAllowlist: {},
    allowedOrigins: {},
    calls24h: { label: 'Calls in 24 h' },
    lastUsedAt: { label: 'Last used' },
    expiresAt: { label: 'Expires', kind: 'date' },
    revokedAt: { label: 'Revoked', kind: 'date' },
    createdAt: { label: 'Created', kind: 'date' },
    id: {},
  },
  tabs: {
    limits: {
      label: 'Rate limits',
      template: 'licensing/api-key-limits',
      when: ({ revokedAt }) => revokedAt === null,
      load: async (ctx, key) => ({
        ...(await usedLimits(ctx, key)),
        refusals: key.refusals.map((one) => ({ ...one, lastAt: localMinute(new Date(one.lastAt)) })),
      }),
    },
  },
  fields: {
    productIds: { label: 'Products', help: 'None selected means all.', of: 'products' },
    ipAllowlist: { help: 'Such as 203.0.113.7 or 10.0.0.0/8, one per line. Leave empty to allow all.' },
    allowedOrigins: { help: 'Origins such as https://app.example.com, one per line. Leave empty for none.' },
    limits: {
      help: 'Overrides the defaults, as JSON such as {"write": {"max": 60, "windowSeconds": 900}}.',
    },
    scope: {
      help:
        'VALIDATE_ONLY is for applications. The others are for your servers: READ_ONLY reads, ' +
        'CREATE_LICENSE creates, renews and revokes licenses, FULL_ADMIN does everything.',
    },
    overlapSeconds: { label: 'Old key works for (seconds)' },
  },
  duplicate: { without: ['name'] },
  commands: {
    create: command('apikey create --service license', {
      flags: FLAGS,
    }),
    change: command('apikey update', {
      flags: FLAGS,
      clears: { productIds: 'product', ipAllowlist: 'ip', allowedOrigins: 'origin', expiresAt: 'expires' },
    }),
    revoke: command('apikey revoke', { flags: { reason: null }, confirm: 'yes' }),
  },
  empty: {
    text: 'Your application calls the license API with an API key.',
    docs: 'call-the-api',
    cli: 'appctl apikey create --service license --name app --scope VALIDATE_ONLY',
  },
});
