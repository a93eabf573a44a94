import { defineErrors } from '#kernel/errors.ts';

/**
 * Every code that the license service prints, with its status and default message: the spec's Errors section,
 * then the codes of the admin API (licensing.md 4.1). INVALID_LICENSE has one text for all causes (6.6).
 */
export const fail = defineErrors({
  API_KEY_REQUIRED: [401, 'X-API-Key header is required'],
  INVALID_API_KEY: [401, 'API key is not valid'],
  API_KEY_REVOKED: [401, 'API key has been revoked'],
  API_KEY_EXPIRED: [401, 'API key has expired'],
  IP_NOT_ALLOWED: [403, 'Source IP address is not allowed for this API key'],
  INSUFFICIENT_SCOPE: [403, 'API key scope does not allow this operation'],
  VALIDATION_ERROR: [400, 'Request is not valid'],
  ACTIVATION_FAILED: [400, 'License cannot be activated'],
  DEACTIVATION_FAILED: [400, 'No active activation exists for this machine'],
  LICENSE_EXPIRED: [400, 'License has expired'],
  LICENSE_SUSPENDED: [400, 'License is suspended'],
  LICENSE_REVOKED: [400, 'License has been revoked'],
  INVALID_KEY: [400, 'License key format is not valid'],
  INVALID_LICENSE: [401, 'License key is not valid'],
  NOT_FOUND: [404, 'Not found'],
  NOT_FLOATING: [400, 'License is not a floating license'],
  NOT_CHECKED_OUT: [400, 'No active checkout exists for this machine'],
  SEAT_LIMIT_REACHED: [400, 'All floating seats are in use'],
  USAGE_LIMIT_EXCEEDED: [400, 'Usage limit reached'],
  NOT_ACTIVATED: [400, 'License is not activated on this machine'],
  LICENSE_INACTIVE: [400, 'License is not active'],
  VERIFICATION_FAILED: [422, 'The bundle, its signature or its statement does not verify'],
  RATE_LIMITED: [429, 'Too many requests'],
  SERVER_ERROR: [500, 'Unexpected error'],
  UNAUTHORIZED: [401, 'Authentication is required'],
  CSRF_FAILED: [403, 'CSRF token is missing or wrong'],
  CONFLICT: [409, 'The request conflicts with the current state'],
  PRECONDITION_FAILED: [412, 'The object has changed since it was read'],
});

/** A code of the table above. */
export type LicensingErrorCode = keyof typeof fail.table;
