import type { Json } from '#kernel/http/json-object.ts';
import type { LicenseStatus } from '#licensing/contract/enumerations.ts';
import type { DecisionCode } from './rules.ts';

/** One rule that was asked, and what it said. */
export interface TraceEntry {
  /** What has to hold, in words. */
  rule: string;
  result: 'pass' | 'fail' | 'skip';
  text: string;
}

/** What the service answers and, where it is allowed, what has to be written. */
export interface Decision {
  allowed: boolean;
  /** VALID or GRACE when allowed. GRACE is also a refusal where ACTIVE is demanded (D36). */
  code: DecisionCode;
  /** Computed by D34; null for an unknown key. */
  status: LicenseStatus | null;
  message: string;
  grace: { until: string } | null;
  /** `error.details` (6.6); empty when nothing is refused, and for validate. */
  details: Record<string, unknown>;
  /** Facts beside `error` at the top level (D1). */
  extra: Record<string, unknown>;
  /** The machine held a live activation before: activate changes nothing (D57), checkout extends (D74). */
  repeat: boolean;
  /** Present when maxVersion is set and appVersion was sent (D84). */
  versionAllowed?: boolean;
  /** checkout, and activate on FLOATING: the lease that the machine holds afterwards. */
  leaseExpiresAt?: string;
  /** heartbeat: absent without a heartbeat policy (D68). */
  nextHeartbeatAt?: string;
  /** validate-entitlement (D82). */
  entitlement?: { valid: boolean; entitled: boolean; value: Json };
  /** renew (D38): status afterwards, whether the row changes, and whether LICENSE_RENEWED is emitted. */
  renewal?: { status: LicenseStatus; changes: boolean; emits: boolean };
  /** activate and checkout: raise the abuse rule TRIAL_REUSE (D70, FLAG). */
  flagsTrialReuse?: true;
  /** Empty unless asked for. */
  trace: readonly TraceEntry[];
}
