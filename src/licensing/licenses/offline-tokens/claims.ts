import { createHash } from 'node:crypto';
import type {
  LicenseStatus,
  LicenseTier,
  LicenseType,
  LicensingMode,
} from '#licensing/contract/enumerations.ts';
import { unixSeconds } from '#signing/keys/delegation.ts';
import { effectiveMaxVersion, type Features, graceEnd, mergeFeatures, statusAt } from '../decision/index.ts';
import type { Standing } from '../standing/index.ts';

/** Payload of an offline license token (licensing 6.2). Times are Unix seconds. */
export interface Claims {
  v: 1;
  /** Key id of the online key. */
  kid: string;
  jti: string;
  lid: string;
  prd: string;
  keyPrefix: string;
  st: LicenseStatus;
  typ: LicenseType;
  tier: LicenseTier;
  mode: LicensingMode;
  /** base64url SHA-256 of the machineId. */
  mid: string;
  feat: Features | null;
  mxv: string | null;
  vu: number | null;
  graceUntil: number | null;
  iat: number;
  nbf: number;
  exp: number;
}

/** The clock of the machine may be behind the server's by so much. */
const SKEW_SECONDS = 300;

/** How a token names a machine, and how its record does: base64url SHA-256 of the machineId as UTF-8. */
export const machineDigest = (machineId: string): string =>
  createHash('sha256').update(machineId, 'utf8').digest('base64url');

/**
 * What a token says of a license (licensing 6.2). It ends with the first of: its life, the license with its grace, the
 * lease of a floating seat, the delegation of the key that signs it.
 *
 * @param standing of a license that may be used on `machineId`
 * @param signer key id, and the end of its delegation in Unix seconds
 * @param asked life in seconds before the policy's cap
 * @param now ISO 8601 UTC
 */
export function claimsOf(
  standing: Standing,
  signer: { keyId: string; expiresAt: number },
  asked: { jti: string; machineId: string; ttlSeconds: number },
  now: string,
): Claims {
  const { license, policy, product, activation } = standing;
  const iat = unixSeconds(now);
  const vu = secondsOrNull(license.validUntil);
  const graceUntil = secondsOrNull(graceEnd(license, policy));
  const ends = [
    iat + Math.min(asked.ttlSeconds, policy?.offlineMaxTtlSeconds ?? asked.ttlSeconds),
    graceUntil ?? vu,
    secondsOrNull(activation?.leaseExpiresAt ?? null),
    signer.expiresAt,
  ];
  return {
    v: 1,
    kid: signer.keyId,
    jti: asked.jti,
    lid: license.id,
    prd: product.slug,
    keyPrefix: standing.keyPrefix,
    st: statusAt(license, now),
    typ: license.type,
    tier: license.tier,
    mode: product.licensingMode,
    mid: machineDigest(asked.machineId),
    feat: mergeFeatures(license.features, policy?.entitlements ?? null),
    mxv: effectiveMaxVersion(license, policy),
    vu,
    graceUntil,
    iat,
    nbf: iat - SKEW_SECONDS,
    exp: Math.min(...ends.filter((end) => end !== null)),
  };
}

const secondsOrNull = (iso: string | null): number | null => (iso === null ? null : unixSeconds(iso));
