import { defineErrors } from '#kernel/errors.ts';
import { baseErrors } from '#kernel/service/errors.ts';

/**
 * Every code that the license service prints, with its status and default message: the spec's Errors section beside
 * the codes that all services share. INVALID_LICENSE has one text for all causes (6.6).
 */
export const fail = defineErrors({
  ...baseErrors,
  API_KEY_REQUIRED: [401, 'X-API-Key header is required'],
  INVALID_API_KEY: [401, 'API key is not valid'],
  API_KEY_REVOKED: [401, 'API key has been revoked'],
  API_KEY_EXPIRED: [401, 'API key has expired'],
  IP_NOT_ALLOWED: [403, 'Source IP address is not allowed for this API key'],
  ACTIVATION_FAILED: [400, 'License cannot be activated'],
  DEACTIVATION_FAILED: [400, 'No active activation exists for this machine'],
  LICENSE_EXPIRED: [400, 'License has expired'],
  LICENSE_SUSPENDED: [400, 'License is suspended'],
  LICENSE_REVOKED: [400, 'License has been revoked'],
  INVALID_KEY: [400, 'License key format is not valid'],
  INVALID_LICENSE: [401, 'License key is not valid'],
  NOT_FLOATING: [400, 'License is not a floating license'],
  NOT_CHECKED_OUT: [400, 'No active checkout exists for this machine'],
  SEAT_LIMIT_REACHED: [400, 'All floating seats are in use'],
  USAGE_LIMIT_EXCEEDED: [400, 'Usage limit reached'],
  NOT_ACTIVATED: [400, 'License is not activated on this machine'],
  LICENSE_INACTIVE: [400, 'License is not active'],
  VERIFICATION_FAILED: [422, 'The bundle, its signature or its statement does not verify'],
});

/** A code of the table above. */
export type LicensingErrorCode = keyof typeof fail.table;
