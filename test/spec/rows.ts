// The rows of the specification: of its tables, and rules that stand in its text. Each has a test of its name; the
// table at the end of a test run says how many (test/support/spec-reporter.ts).

export interface SpecRow {
  table:
    | 'endpoint'
    | 'scope'
    | 'processor'
    | 'error'
    | 'state'
    | 'event'
    | 'payload'
    | 'header'
    | 'delivery'
    | 'limit'
    | 'convention'
    | 'values'
    | 'fields'
    | 'rule'
    | 'version'
    | 'transport';
  row: string;
}

const rows = (table: SpecRow['table'], names: readonly string[]): SpecRow[] =>
  names.map((row) => ({ table, row }));

export const specRows: readonly SpecRow[] = [
  ...rows('endpoint', [
    'POST /api/v1/license/activate',
    'POST /api/v1/license/validate',
    'POST /api/v1/license/deactivate',
    'GET /api/v1/license/check/{key}',
    'POST /api/v1/license/heartbeat',
    'POST /api/v1/license/checkout',
    'POST /api/v1/license/checkin',
    'POST /api/v1/license/record-usage',
    'POST /api/v1/license/validate-entitlement',
    'POST /api/v1/license/create',
    'POST /api/v1/license/create-bulk',
    'GET /api/v1/license/by-order/{orderId}',
    'POST /api/v1/license/revoke',
    'POST /api/v1/license/renew',
    'GET /api/v1/products',
    'GET /api/v1/updates/check',
    'GET /api/v1/updates/manifest',
    'GET /api/v1/updates/download',
    'GET /api/v1/updates/public-key',
    'POST /api/v1/webhooks/inbound/{configId}',
    'GET /api/health',
  ]),
  ...rows('processor', ['Card processor A', 'Payments processor B', 'Generic', 'Wallet processor']),
  ...rows('scope', ['VALIDATE_ONLY', 'CREATE_LICENSE', 'READ_ONLY', 'FULL_ADMIN']),
  ...rows('error', [
    'API_KEY_REQUIRED',
    'INVALID_API_KEY',
    'API_KEY_REVOKED',
    'API_KEY_EXPIRED',
    'IP_NOT_ALLOWED',
    'INSUFFICIENT_SCOPE',
    'VALIDATION_ERROR',
    'ACTIVATION_FAILED',
    'DEACTIVATION_FAILED',
    'LICENSE_EXPIRED',
    'LICENSE_SUSPENDED',
    'LICENSE_REVOKED',
    'INVALID_KEY',
    'INVALID_LICENSE',
    'NOT_FOUND',
    'NOT_FLOATING',
    'NOT_CHECKED_OUT',
    'SEAT_LIMIT_REACHED',
    'USAGE_LIMIT_EXCEEDED',
    'NOT_ACTIVATED',
    'LICENSE_INACTIVE',
    'RATE_LIMITED',
    'SERVER_ERROR',
  ]),
  ...rows('state', [
    'license: none, create -> ACTIVE',
    'license: none, create-bulk -> ACTIVE',
    'license: none, inbound webhook -> ACTIVE',
    'license: ACTIVE, expiration date reached -> EXPIRED',
    'license: EXPIRED, renew -> ACTIVE',
    'license: ACTIVE, renew -> ACTIVE',
    'license: ACTIVE, EXPIRED or SUSPENDED, revoke -> REVOKED',
    'license: ACTIVE, heartbeat cull with SUSPEND_LICENSE -> SUSPENDED',
    'license: REVOKED, renew -> REVOKED',
    'license: activation is refused when EXPIRED, SUSPENDED or REVOKED',
    'product: ACTIVE, DEPRECATED, DISCONTINUED; only active ones are listed',
    'activation: none, activate -> activated',
    'activation: activated, activate of the same machine -> activated',
    'activation: none, activate with all slots used -> none',
    'activation: activated, deactivate -> none',
    'activation: activated, heartbeat cull with DEACTIVATE_DEAD -> none',
    'activation: activated, revoke of the license -> none',
    'lease: none, checkout -> checked out',
    'lease: checked out, checkout of the same machine -> checked out',
    'lease: checked out, checkin -> none',
    'lease: checked out, lease expires -> none',
    'lease: none, checkout with all seats used -> none',
    'webhook: 20 consecutive failed deliveries -> disabled',
  ]),
  ...rows('event', [
    'LICENSE_CREATED',
    'LICENSE_ACTIVATED',
    'LICENSE_DEACTIVATED',
    'LICENSE_VALIDATED',
    'LICENSE_EXPIRED',
    'LICENSE_RENEWED',
    'LICENSE_SUSPENDED',
    'LICENSE_REVOKED',
    'LICENSE_DELETED',
    'ACTIVATION_LIMIT_REACHED',
    'VALIDATION_FAILED',
    'ABUSE_FLAGGED',
    'ABUSE_CLEARED',
    'KEY_REPLACED',
    'HONEYPOT_TRIGGERED',
    'HEARTBEAT_MISSED',
    'SEAT_CHECKED_OUT',
    'SEAT_CHECKED_IN',
    'LEASE_EXPIRED',
    'USAGE_RECORDED',
    'USAGE_WARNING',
    'USAGE_EXHAUSTED',
    'USAGE_RESET',
  ]),
  ...rows('payload', [
    'event, timestamp and data',
    'data.licenseId',
    'data.licenseKeyPrefix',
    'data.customerId',
    'data.status',
    'data.product',
    'data.machineIds',
    'data.details',
  ]),
  ...rows('header', [
    'Content-Type',
    'X-Webhook-Signature',
    'X-Webhook-Event',
    'X-Webhook-Attempt',
    'User-Agent',
  ]),
  ...rows('delivery', [
    '1. attempts at once, after about 10 seconds, after about 30 seconds',
    '2. only 5xx responses and network errors are retried',
    '3. each attempt times out after 10 seconds',
    '4. after 20 consecutive failures across all events the webhook is disabled',
    '5. private IP addresses and DNS rebinding are blocked',
  ]),
  ...rows('limit', [
    'Read API (validate, check)',
    'Write API',
    'Heartbeat',
    'Update check and manifest',
    'Update download',
    'Bulk create',
    'By-order result',
    'Pagination',
    'Metadata on create',
    'maxActivations',
    'Lease duration',
    'Usage quantity',
    'Feature code',
    'Field sizes',
    'Stale-activation job',
    'Lease-expiry job',
    'Usage warning threshold',
    'Inbound webhooks',
    'Webhook delivery',
  ]),
  ...rows('convention', [
    'bodies are JSON and responses are JSON',
    'timestamps are ISO 8601 in UTC with milliseconds',
    'success true, or success false with error code and message',
    'RateLimit-Limit, RateLimit-Remaining and RateLimit-Reset',
    'all public endpoints use the prefix /api/v1/',
  ]),
  ...rows('values', [
    'LicenseStatus',
    'LicenseType',
    'LicenseTier',
    'ProductType',
    'ProductStatus',
    'ApiKeyScope',
    'Release channel',
    'Heartbeat cull strategy',
  ]),
  ...rows('fields', [
    'LicensePublic',
    'LicenseCreated',
    'Activation',
    'ReleaseInfo',
    'Inbound webhook configuration',
    'Product mapping: externalProductId, productId, licenseType, licenseTier, maxActivations',
    'Product mapping: durationDays',
    'Processed events: processorEventId',
    'License key',
    'machineId',
    'Further license attributes',
    'lastSeenAt of an activation',
    'Customer',
    'Policy',
    'Product',
    'Pagination envelope',
  ]),
  ...rows('rule', [
    'a customer with the same e-mail is reused',
    'a policy is linked to a product or to individual licenses',
    'entitlements come from the features and from the policy',
    'the licensing mode is set per product',
    'validate: grace and graceExpiresAt in a grace period',
    'validate: versionAllowed when version restrictions apply',
    'validate: floating for floating licenses',
    'validate: usage for metered licenses',
    'validate answers 200 for every processed request',
    'inbound webhooks answer 200 always',
    'create-bulk answers 207 when some items fail',
    'health answers 503 when the database is unreachable',
    'docs are served in non-production and disabled in production',
    'an API key may have an IP allowlist and an expiration date',
    'a license of another tenant is unknown',
    'updates are for ACTIVE licenses of the product of the release',
    'the signature of a release covers the SHA-256 of its bundle',
    'suspicious use of a license is detected and flagged',
    'the key format is customizable',
  ]),
  ...rows('version', [
    '1. public endpoints have the path prefix /api/v1/, and health is /api/health',
    '2. releases and current_version are semver, and the channel is stable by default',
    '3. health carries a service version string',
    '4. no policy is shown: version 1 alone is served, and it takes requests with unknown fields',
  ]),
  ...rows('transport', [
    'HTTPS with TLS 1.2 or higher',
    'plain HTTP beyond this machine is refused in production',
  ]),
];

/** Name of the test of a row, as the reporter looks for it. */
export const nameOf = ({ table, row }: Pick<SpecRow, 'table' | 'row'>): string => `spec ${table}: ${row}`;

/**
 * The name for the test of a row.
 *
 * @throws Error for a row that the specification does not have, so that a typing error cannot hide one
 */
export function row(table: SpecRow['table'], text: string): string {
  if (!specRows.some((known) => known.table === table && known.row === text)) {
    throw new Error(`the specification has no ${table} ${text}`);
  }
  return nameOf({ table, row: text });
}
