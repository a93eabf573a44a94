import { z } from 'zod';
import { count, instant, optional, text } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import {
  LICENSE_STATUSES,
  LICENSE_TIERS,
  LICENSE_TYPES,
  LICENSING_MODES,
} from '#licensing/contract/enumerations.ts';
import { keyedBody, machineIdField, nonceField } from '#licensing/contract/fields.ts';
import { bounds } from '#licensing/contract/limits.ts';
import { Activation, FeaturesReply, LicensePublic, UsageReply } from '#licensing/contract/replies.ts';

/** Codes of validate, in the order in which the first that fits wins (D21). */
export const VALIDATE_CODES = [
  'NOT_FOUND',
  'INVALID_KEY',
  'REVOKED',
  'SUSPENDED',
  'EXPIRED',
  'NOT_ACTIVATED',
  'VERSION_NOT_ALLOWED',
  'GRACE',
  'VALID',
] as const;

/** Body of validate. */
export const ValidateBody = keyedBody('licenseKey', {
  machineId: machineIdField(),
  appVersion: optional(text({ max: bounds.appVersion })),
  nonce: optional(nonceField()),
}).meta({ id: 'ValidateBody' });
export type ValidateInput = z.output<typeof ValidateBody>;

/** Path of check/{key}: any text, since a text that is no key is a license that does not exist (D12). */
export const CheckParams = z.object({ key: z.string() });

/** Query of check/{key}. */
export const CheckQuery = later(() => z.object({ nonce: optional(nonceField()) }));

/** Body of validate-entitlement; a name is as long as a feature's may be. */
export const ValidateEntitlementBody = keyedBody('key', {
  entitlement: text({ min: 1, max: bounds.features.maxKeyLength }),
  nonce: optional(nonceField()),
}).meta({ id: 'ValidateEntitlementBody' });
export type ValidateEntitlementInput = z.output<typeof ValidateEntitlementBody>;

const refusedRequestId = () =>
  z.string().optional().meta({ description: 'Present when `valid` is false, as in every refusal' });

/** Reply of validate-entitlement; the surface adds `success` (D82). */
export const ValidateEntitlementReply = later(() =>
  z
    .object({
      valid: z.boolean(),
      entitled: z.boolean(),
      /** Any JSON, for example a limit or a configuration text; null when the entitlement is not there. */
      value: z.unknown(),
      /** Present while the license is in its grace period (D36). */
      grace: z.literal(true).optional(),
      requestId: refusedRequestId(),
      nonce: z.string().optional(),
    })
    .meta({ id: 'Entitlement' }),
);

/** Seats of a floating license; leaseExpiresAt is the asking machine's (D20). */
export const FloatingReply = z
  .object({
    seatsUsed: count(),
    seatsTotal: count(),
    seatsAvailable: count(),
    leaseExpiresAt: instant().nullable(),
  })
  .meta({ id: 'FloatingSeats' });

/** Reply of validate; the surface adds `success` (D20). An unknown key has no status, license or activation. */
export const ValidateReply = later(() =>
  z
    .object({
      valid: z.boolean(),
      status: z.enum(LICENSE_STATUSES).nullable(),
      code: z.enum(VALIDATE_CODES),
      message: z.string(),
      license: LicensePublic.nullable(),
      activation: Activation.nullable(),
      grace: z.boolean().optional(),
      graceExpiresAt: instant().optional(),
      versionAllowed: z.boolean().optional(),
      floating: FloatingReply.optional(),
      usage: UsageReply.optional(),
      licensingMode: z.enum(LICENSING_MODES).optional(),
      serverTime: instant(),
      requestId: refusedRequestId(),
      nonce: z.string().optional(),
    })
    .meta({ id: 'Validation' }),
);

/** Reply of check/{key}; the surface adds `success`. */
export const CheckReply = later(() =>
  z
    .object({
      status: z.enum(LICENSE_STATUSES),
      type: z.enum(LICENSE_TYPES),
      tier: z.enum(LICENSE_TIERS),
      maxVersion: z.string().nullable(),
      features: FeaturesReply,
      licensingMode: z.enum(LICENSING_MODES),
      nonce: z.string().optional(),
    })
    .meta({ id: 'LicenseCheck' }),
);
