import { isoTime } from '#kernel/clock.ts';
import { type DelegationUse, readDelegation } from '#signing/keys/delegation.ts';
import type { KeyStatus } from '#signing/keys/key-shape.ts';
import { judgeDelegation } from './delegation-fault.ts';
import type { OnlineKeyRow, RootKey } from './repository.ts';

/** An online key as staff see it. */
export interface OnlineKey {
  readonly keyId: string;
  /** Slug. */
  readonly product: string;
  readonly algorithm: 'ed25519';
  /** 32 raw bytes in base64. */
  readonly publicKey: string;
  readonly status: KeyStatus;
  readonly createdAt: string;
  readonly delegation: {
    /** Key id of the root key that signed it. */
    readonly root: string;
    readonly use: DelegationUse[];
    readonly notBefore: string;
    readonly expiresAt: string;
    /** Whether it is believed now: not run out, and its root key not retired. */
    readonly valid: boolean;
  } | null;
}

/**
 * The printed form of an online key.
 *
 * @param roots the product's root keys that are not retired
 * @param now ISO 8601 UTC
 */
export function viewOf(row: OnlineKeyRow, roots: readonly RootKey[], now: string): OnlineKey {
  const claims = row.delegation === null ? null : readDelegation(row.delegation);
  return {
    keyId: row.keyId,
    product: row.productSlug,
    algorithm: 'ed25519',
    publicKey: row.publicKey,
    status: row.status,
    createdAt: row.createdAt,
    delegation: claims && {
      root: claims.root,
      use: claims.use,
      notBefore: isoTime(claims.nbf * 1000),
      expiresAt: isoTime(claims.exp * 1000),
      valid: 'delegation' in judgeDelegation(row.delegation ?? '', row, roots, now),
    },
  };
}
