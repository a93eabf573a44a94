// Access values: from an answer of the server, and for those who got none.
import { ClientError } from './errors.ts';
import {
  either,
  isCount,
  isFlag,
  isInstant,
  isNull,
  isObject,
  isText,
  type JsonObject,
  maybe,
  need,
} from './shape.ts';
import type {
  Access,
  Activation,
  LicensePublic,
  LicenseStatus,
  LicensingMode,
  Seats,
  Usage,
} from './types.ts';

/** In HONOR_SYSTEM everything is allowed and nothing enforced (D44); an unknown mode counts as STANDARD. */
export function underMode(access: Access, mode: LicensingMode | null): Access {
  const enforced = mode !== 'HONOR_SYSTEM';
  return { ...access, mode: mode ?? 'STANDARD', enforced, allowed: !enforced || access.valid };
}

/** Nothing is known but why. @param now Unix milliseconds */
export const nothingKnown = (code: string, message: string, now: number): Access => ({
  allowed: false,
  enforced: true,
  valid: false,
  code,
  status: null,
  message,
  source: 'none',
  mode: 'STANDARD',
  license: null,
  activation: null,
  features: {},
  grace: false,
  graceExpiresAt: null,
  versionAllowed: null,
  usage: null,
  seats: null,
  checkedAt: new Date(now).toISOString(),
  offlineUntil: null,
  offlineProblem: null,
  retryAfterSeconds: null,
  retryAt: null,
});

/**
 * The answer of validate.
 *
 * @param now Unix milliseconds
 * @throws ClientError BAD_RESPONSE for what is no such answer
 */
export function accessOf(body: JsonObject, now: number): Access {
  const license = licenseIn(body);
  const floating = maybe(body, 'floating', isObject);
  return {
    ...nothingKnown(need(body, 'code', isText), need(body, 'message', isText), now),
    valid: need(body, 'valid', isFlag),
    status: need(body, 'status', either(isText, isNull)) as LicenseStatus | null,
    source: 'server',
    license,
    activation: activationIn(body),
    features: license?.features ?? {},
    grace: maybe(body, 'grace', isFlag) ?? false,
    graceExpiresAt: maybe(body, 'graceExpiresAt', isInstant) ?? null,
    versionAllowed: maybe(body, 'versionAllowed', isFlag) ?? null,
    usage: usageIn(body),
    seats: floating === undefined ? null : seatsOf(floating),
  };
}

/** @returns null for anything else, so that a mode of the future counts as unknown */
export const modeIn = (body: JsonObject, name = 'licensingMode'): LicensingMode | null => {
  const mode = body[name];
  return mode === 'STANDARD' || mode === 'HONOR_SYSTEM' ? mode : null;
};

/** `license` of an answer. @throws ClientError BAD_RESPONSE */
export function licenseIn(body: JsonObject): LicensePublic | null {
  const license = maybe(body, 'license', isObject);
  if (license === undefined) return null;
  for (const name of ['key', 'product', 'tier', 'type']) need(license, name, isText);
  for (const name of ['activationsUsed', 'maxActivations']) need(license, name, isCount);
  need(license, 'validUntil', either(isInstant, isNull));
  maybe(license, 'features', isObject);
  return license as unknown as LicensePublic;
}

/** `activation` of an answer. @throws ClientError BAD_RESPONSE */
export function activationIn(body: JsonObject): Activation | null {
  const activation = maybe(body, 'activation', isObject);
  if (activation === undefined) return null;
  need(activation, 'machineId', isText);
  maybe(activation, 'leaseExpiresAt', isInstant);
  return activation as unknown as Activation;
}

/** @throws ClientError BAD_RESPONSE */
export const seatsOf = (body: JsonObject): Seats => ({
  seatsUsed: need(body, 'seatsUsed', isCount),
  seatsTotal: need(body, 'seatsTotal', isCount),
  seatsAvailable: need(body, 'seatsAvailable', isCount),
});

/** `usage` of an answer. @throws ClientError BAD_RESPONSE */
export function usageIn(body: JsonObject): Usage | null {
  const usage = maybe(body, 'usage', isObject);
  if (usage === undefined) return null;
  need(usage, 'current', isCount);
  need(usage, 'max', either(isCount, isNull));
  return usage as unknown as Usage;
}

/** For answers that must hold it. @throws ClientError BAD_RESPONSE */
export function present<T>(value: T | null, name: string): T {
  if (value === null) throw new ClientError('BAD_RESPONSE', `the answer has no field \`${name}\``);
  return value;
}
