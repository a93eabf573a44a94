import type { JsonObject } from '#kernel/http/json-object.ts';
import type {
  ActivationKind,
  LicenseStatus,
  LicenseTier,
  LicenseType,
  LicensingMode,
  ProductStatus,
  TrialReuseRule,
} from '#licensing/contract/enumerations.ts';

/** What a caller wants to do with a license. */
export type Action =
  | 'validate'
  | 'activate'
  | 'deactivate'
  | 'checkout'
  | 'checkin'
  | 'heartbeat'
  | 'record-usage'
  | 'validate-entitlement'
  | 'offline-token'
  | 'update'
  | 'renew';

/** Entitlements by name. */
export type Features = JsonObject;

/** The license as stored; times are ISO 8601 UTC with milliseconds. */
export interface LicenseFacts {
  id: string;
  /** The stored column; the decision computes the status that counts (D34). */
  status: LicenseStatus;
  type: LicenseType;
  tier: LicenseTier;
  validUntil: string | null;
  maxActivations: number;
  maxVersion: string | null;
  maxUses: number | null;
  currentUses: number;
  features: Features | null;
  gracePeriodSeconds: number | null;
  suspendedAt: string | null;
  revokedAt: string | null;
}

export interface ProductFacts {
  id: string;
  status: ProductStatus;
  licensingMode: LicensingMode;
  criticalUpdatesForExpired: boolean;
}

/** The effective policy: the license's, else the product's, taken whole and never merged (D64). */
export interface PolicyFacts {
  id: string;
  entitlements: Features | null;
  gracePeriodSeconds: number;
  maxVersion: string | null;
  maxUses: number | null;
  /** Minutes; null = no heartbeats. */
  heartbeatInterval: number | null;
  /** Seconds. */
  defaultLeaseDuration: number | null;
  maxDeactivations: number | null;
  deactivationWindowDays: number | null;
  /** 0 forbids offline tokens. */
  offlineMaxTtlSeconds: number | null;
  trialReuse: TrialReuseRule;
}

/** The row of the asking machine that has not ended; a lease that ran out may be handed in and does not count (D75). */
export interface ActivationFacts {
  id: string;
  kind: ActivationKind;
  leaseExpiresAt: string | null;
  lastSeenAt: string;
}

export interface RequestFacts {
  appVersion?: string | undefined;
  quantity?: number | undefined;
  /** Seconds; only checkout reads it. */
  leaseDuration?: number | undefined;
  entitlement?: string | undefined;
  /** The new date of a renewal. */
  validUntil?: string | undefined;
  release?:
    | { version: string; isCritical: boolean; productId: string; requiredEntitlements: readonly string[] }
    | undefined;
}

/** The past as far as a rule asks for it; null where the action has no such rule (or the caller is exempt). */
export interface HistoryFacts {
  /** Deactivations by clients inside the policy's window (D63). */
  deactivationsInWindow: number;
  /** The time of the maxDeactivations-th newest of them: when it leaves the window, one is free again. */
  deactivationThatMustLapse: string | null;
  /** The machine or the customer was seen on another TRIAL of the product (D70). */
  trialSeenElsewhere: boolean;
}

/** What only the text of a refusal needs (6.6). A caller fetches it after the refusal and may leave it out. */
export interface Circumstances {
  oldestActivation?: { machineName: string | null; activatedAt: string; lastSeenAt: string } | null;
  nextLeaseExpiresAt?: string | null;
  lastLeaseExpiredAt?: string | null;
}

/** Everything a decision looks at. No rule reads anything else. */
export interface Facts {
  /** null: unknown key. */
  license: LicenseFacts | null;
  /** true: the key holds a character outside `[A-Za-z0-9-]`, so it was not looked up (D12). */
  malformedKey?: boolean;
  product: ProductFacts | null;
  policy: PolicyFacts | null;
  activation: ActivationFacts | null;
  /** Live activations of the license, the machine's own included. */
  used: number;
  request: RequestFacts;
  history: HistoryFacts | null;
  /** Setting `licensing.default_lease_seconds` (D73). */
  defaultLeaseSeconds: number;
  circumstances?: Circumstances;
}
