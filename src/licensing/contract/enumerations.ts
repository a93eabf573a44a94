/** The spec's enumerations. The lists are the source: types, schemas and CHECK constraints derive from them. */

export const LICENSE_STATUSES = ['ACTIVE', 'EXPIRED', 'SUSPENDED', 'REVOKED'] as const;
export const LICENSE_TYPES = ['PERPETUAL', 'SUBSCRIPTION', 'TRIAL', 'BETA', 'FLOATING'] as const;
export const LICENSE_TIERS = ['PERSONAL', 'PROFESSIONAL', 'BUSINESS', 'ENTERPRISE'] as const;
export const PRODUCT_TYPES = ['DESKTOP', 'WEB', 'MOBILE', 'PLUGIN', 'API'] as const;
export const PRODUCT_STATUSES = ['ACTIVE', 'DEPRECATED', 'DISCONTINUED'] as const;
export const LICENSING_MODES = ['STANDARD', 'HONOR_SYSTEM'] as const;
export const API_KEY_SCOPES = ['VALIDATE_ONLY', 'CREATE_LICENSE', 'READ_ONLY', 'FULL_ADMIN'] as const;
export const RELEASE_CHANNELS = ['stable', 'beta', 'alpha', 'rc', 'nightly'] as const;
/** The spec once prints NO_ACTIONS; only NO_ACTION exists (D67). */
export const CULL_STRATEGIES = ['DEACTIVATE_DEAD', 'SUSPEND_LICENSE', 'NO_ACTION'] as const;

export const LICENSE_SOURCES = [
  'API',
  'BULK',
  'INBOUND_WEBHOOK',
  'STOREFRONT',
  'CLI',
  'ADMIN',
  'IMPORT',
] as const;
export const ACTIVATION_KINDS = ['NODE', 'LEASE'] as const;
export const END_REASONS = [
  'CLIENT',
  'ADMIN',
  'PORTAL',
  'CHECKIN',
  'LEASE_EXPIRED',
  'HEARTBEAT',
  'REVOKED',
  'DELETED',
  'REPLACED',
  'TRANSFER',
] as const;
export const KEY_KINDS = ['CURRENT', 'REPLACED', 'HONEYPOT'] as const;
export const KEY_ALPHABETS = ['CROCKFORD32', 'HEX', 'ALNUM36'] as const;
export const KEY_CHECKSUMS = ['NONE', 'LUHN'] as const;
export const IDEMPOTENCY_NAMESPACES = ['api', 'store', 'inbound', 'cli', 'admin'] as const;
export const TRIAL_REUSE_RULES = ['ALLOW', 'FLAG', 'BLOCK'] as const;
export const ABUSE_ACTIONS = ['NONE', 'SUSPEND'] as const;
/** Rules of abuse detection (D128); MANUAL is raised by staff. */
export const ABUSE_RULES = [
  'IP_SPREAD',
  'MACHINE_SPREAD',
  'CHURN',
  'LIMIT_HAMMER',
  'CLONED_MACHINE',
  'TRIAL_REUSE',
  'OLD_KEY_USED',
  'MANUAL',
] as const;
export const FLAG_STATUSES = ['OPEN', 'CLEARED', 'CONFIRMED'] as const;
/** What is done about a license whose flag was confirmed. */
export const CONFIRM_ACTIONS = ['NONE', 'SUSPEND', 'REPLACE_KEY'] as const;

export type LicenseStatus = (typeof LICENSE_STATUSES)[number];
export type LicenseType = (typeof LICENSE_TYPES)[number];
export type LicenseTier = (typeof LICENSE_TIERS)[number];
export type ProductType = (typeof PRODUCT_TYPES)[number];
export type ProductStatus = (typeof PRODUCT_STATUSES)[number];
export type LicensingMode = (typeof LICENSING_MODES)[number];
export type ApiKeyScope = (typeof API_KEY_SCOPES)[number];
export type ReleaseChannel = (typeof RELEASE_CHANNELS)[number];
export type CullStrategy = (typeof CULL_STRATEGIES)[number];
export type LicenseSource = (typeof LICENSE_SOURCES)[number];
export type ActivationKind = (typeof ACTIVATION_KINDS)[number];
export type EndReason = (typeof END_REASONS)[number];
export type KeyKind = (typeof KEY_KINDS)[number];
export type KeyAlphabet = (typeof KEY_ALPHABETS)[number];
export type KeyChecksum = (typeof KEY_CHECKSUMS)[number];
export type IdempotencyNamespace = (typeof IDEMPOTENCY_NAMESPACES)[number];
export type TrialReuseRule = (typeof TRIAL_REUSE_RULES)[number];
export type AbuseRule = (typeof ABUSE_RULES)[number];
export type FlagStatus = (typeof FLAG_STATUSES)[number];
export type ConfirmAction = (typeof CONFIRM_ACTIONS)[number];
