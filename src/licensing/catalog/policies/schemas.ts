import { z } from 'zod';
import { type Checked, integer, oneOf, optional, report, text } from '#kernel/http/fields.ts';
import { jsonObject } from '#kernel/http/json-object.ts';
import { later } from '#kernel/sharing.ts';
import { ABUSE_ACTIONS, CULL_STRATEGIES, TRIAL_REUSE_RULES } from '#licensing/contract/enumerations.ts';
import { maxVersionField } from '#licensing/contract/fields.ts';
import { bounds } from '#licensing/contract/limits.ts';

/** 400 days, the longest an offline token may live (licensing.md 6.2). */
const MAX_OFFLINE_SECONDS = 34_560_000;
/** 30 days, in minutes. */
const MAX_HEARTBEAT_MINUTES = 43_200;

const shape = {
  name: text({ min: 1, max: 100 }),
  heartbeatInterval: integer(1, MAX_HEARTBEAT_MINUTES),
  heartbeatCullStrategy: oneOf(CULL_STRATEGIES),
  defaultLeaseDuration: integer(bounds.leaseSeconds.min, bounds.leaseSeconds.max),
  entitlements: jsonObject(bounds.features),
  gracePeriodSeconds: integer(bounds.gracePeriodSeconds.min, bounds.gracePeriodSeconds.max),
  defaultDurationDays: integer(bounds.durationDays.min, bounds.durationDays.max),
  maxUses: integer(0),
  maxVersion: maxVersionField(),
  maxDeactivations: integer(0, 100_000),
  deactivationWindowDays: integer(bounds.durationDays.min, bounds.durationDays.max),
  offlineMaxTtlSeconds: integer(0, MAX_OFFLINE_SECONDS),
  trialReuse: oneOf(TRIAL_REUSE_RULES),
  abuseAction: oneOf(ABUSE_ACTIONS),
};

interface Churn {
  maxDeactivations?: number | null | undefined;
  deactivationWindowDays?: number | null | undefined;
}

/** A number of deactivations means nothing without its window, and the reverse (8.2). */
function churnComplete(checked: Checked<Churn>): void {
  const { maxDeactivations = null, deactivationWindowDays = null } = checked.value;
  if ((maxDeactivations === null) === (deactivationWindowDays === null)) return;
  const missing = maxDeactivations === null ? 'maxDeactivations' : 'deactivationWindowDays';
  report(checked, 'required', 'maxDeactivations and deactivationWindowDays belong together', [missing]);
}

/** Input that creates a policy. Left out: strategy NO_ACTION, no grace, trial reuse FLAG, abuse action NONE. */
export const PolicyCreate = later(() =>
  z
    .strictObject({
      name: shape.name,
      heartbeatInterval: optional(shape.heartbeatInterval),
      heartbeatCullStrategy: optional(shape.heartbeatCullStrategy),
      defaultLeaseDuration: optional(shape.defaultLeaseDuration),
      entitlements: optional(shape.entitlements),
      gracePeriodSeconds: optional(shape.gracePeriodSeconds),
      defaultDurationDays: optional(shape.defaultDurationDays),
      maxUses: optional(shape.maxUses),
      maxVersion: optional(shape.maxVersion),
      maxDeactivations: optional(shape.maxDeactivations),
      deactivationWindowDays: optional(shape.deactivationWindowDays),
      offlineMaxTtlSeconds: optional(shape.offlineMaxTtlSeconds),
      trialReuse: optional(shape.trialReuse),
      abuseAction: optional(shape.abuseAction),
    })
    .check(churnComplete),
);
export type PolicyCreateInput = z.output<typeof PolicyCreate>;

/**
 * Input that changes a policy: absent leaves a field, null clears one that may be empty.
 * Whether maxDeactivations and its window still belong together is judged on the merged row.
 */
export const PolicyUpdate = later(() =>
  z
    .strictObject({
      ...shape,
      heartbeatInterval: shape.heartbeatInterval.nullable(),
      defaultLeaseDuration: shape.defaultLeaseDuration.nullable(),
      entitlements: shape.entitlements.nullable(),
      defaultDurationDays: shape.defaultDurationDays.nullable(),
      maxUses: shape.maxUses.nullable(),
      maxVersion: shape.maxVersion.nullable(),
      maxDeactivations: shape.maxDeactivations.nullable(),
      deactivationWindowDays: shape.deactivationWindowDays.nullable(),
      offlineMaxTtlSeconds: shape.offlineMaxTtlSeconds.nullable(),
    })
    .partial(),
);
export type PolicyUpdateInput = z.output<typeof PolicyUpdate>;
