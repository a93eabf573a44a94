/**
 * The rate-limit buckets of D15, which hold the spec's Limits table. One bucket is shared by all its operations
 * and one request costs one point. Settings `licensing.limits.<bucket>.max` and `.windowSeconds` override them.
 */
import { type RateLimit, UNLIMITED } from '#kernel/http/rate-limit.ts';

const QUARTER_HOUR = 900;

export const limits = {
  /** validate, check */
  read: { bucket: 'read', max: 60, windowSeconds: QUARTER_HOUR, by: 'ip' },
  /** create, create-bulk, activate, deactivate, revoke, renew, checkout, checkin, record-usage */
  write: { bucket: 'write', max: 15, windowSeconds: QUARTER_HOUR, by: 'credential' },
  heartbeat: { bucket: 'heartbeat', max: 120, windowSeconds: 60, by: 'credential' },
  /** updates/check, updates/manifest, update feeds */
  update_check: { bucket: 'update_check', max: 60, windowSeconds: QUARTER_HOUR, by: 'ip' },
  update_download: { bucket: 'update_download', max: 10, windowSeconds: 3600, by: 'ip' },
  inbound: { bucket: 'inbound', max: 60, windowSeconds: 60, by: 'ip' },
  /** validate-entitlement, by-order, products: the spec names no limit for them, so an operator sets one or none */
  read_extra: { bucket: 'read_extra', max: UNLIMITED, windowSeconds: QUARTER_HOUR, by: 'ip' },
  public_key: { bucket: 'public_key', max: UNLIMITED, windowSeconds: QUARTER_HOUR, by: 'ip' },
  offline_token: { bucket: 'offline_token', max: 120, windowSeconds: 60, by: 'credential' },
  /** distinct unknown credentials per IP (D19d); no operation names it, the surface counts it */
  failures: { bucket: 'failures', max: 100, windowSeconds: QUARTER_HOUR, by: 'ip' },
} as const satisfies Record<string, RateLimit>;

/** Name of a bucket. */
export type BucketName = keyof typeof limits;

const namesBy = (by: RateLimit['by']): string[] =>
  Object.values(limits)
    .filter((rule) => rule.by === by)
    .map(({ bucket }) => bucket);

/** Buckets that an API key may have its own limit of, and those that know addresses only. */
export const bucketNames = { byKey: namesBy('credential'), byAddress: namesBy('ip') } as const;

/** What the CHECK of a column of days allows; the service itself asks for less. */
export const STORED_DAYS = 36_600;

/** Bounds of the field sizes and collections of the spec's Limits section, and of D51 to D53. */
export const bounds = {
  bulkItems: { min: 1, max: 20 },
  byOrderLicenses: 100,
  licenseKey: { min: 10, max: 100 },
  machineId: { min: 8, max: 255 },
  machineName: 255,
  osName: 100,
  osVersion: 100,
  appVersion: 50,
  productId: 30,
  customerEmail: 255,
  customerName: 255,
  orderId: 255,
  idempotencyKey: 255,
  reason: 500,
  /** The design names no bound; notes are for people, so a page of text is enough. */
  notes: 5000,
  maxActivations: { min: 1, max: 1000 },
  leaseSeconds: { min: 60, max: 2_592_000 },
  /** Life of an offline token (licensing 6.2): one hour to 400 days; thirty days for whoever names none. */
  offlineTtlSeconds: { min: 3600, usual: 2_592_000, max: 34_560_000 },
  usageQuantity: { min: 1, max: 10_000 },
  featureCode: { min: 1, max: 100 },
  gracePeriodSeconds: { min: 0, max: 31_536_000 },
  /** A week (D130). */
  overlapSeconds: { min: 0, max: 604_800 },
  /** Ten years, the bound that the design sets for extendDays. */
  durationDays: { min: 1, max: 3660 },
  metadata: { maxKeys: 20, maxKeyLength: 100, maxValueLength: 1000 },
  /** The design names no bound for features; a wide one keeps rows and offline tokens of a sane size. */
  features: { maxKeys: 200, maxKeyLength: 100, maxValueLength: 4000 },
} as const;
