import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';
import { ABUSE_ACTIONS, CULL_STRATEGIES, TRIAL_REUSE_RULES } from '#licensing/contract/enumerations.ts';
import { ids } from '#licensing/contract/ids.ts';
import { bounds, STORED_DAYS } from '#licensing/contract/limits.ts';
import { tenantColumn } from '#platform/tenants/index.ts';

const MOST = 2_147_483_647;

/** Policies (licensing section 8.2); null means that the policy sets no such rule. */
export const policyRecord = record(
  'license_policies',
  {
    id: column.id(ids.policy),
    tenantId: tenantColumn(),
    name: column.text(100, 1),
    /** Minutes. */
    heartbeatInterval: column.integer(1, 43_200).nullable(),
    heartbeatCullStrategy: column.choice(CULL_STRATEGIES),
    /** Seconds. */
    defaultLeaseDuration: column.integer(bounds.leaseSeconds.min, bounds.leaseSeconds.max).nullable(),
    entitlements: column.object(bounds.features).nullable(),
    gracePeriodSeconds: column.integer(0, bounds.gracePeriodSeconds.max),
    defaultDurationDays: column.integer(1, STORED_DAYS).nullable(),
    maxUses: column.integer(0).nullable(),
    maxVersion: column.text(50).nullable(),
    maxDeactivations: column.integer(0, MOST).nullable(),
    deactivationWindowDays: column.integer(1, MOST).nullable(),
    offlineMaxTtlSeconds: column.integer(0, bounds.offlineTtlSeconds.max).nullable(),
    trialReuse: column.choice(TRIAL_REUSE_RULES),
    abuseAction: column.choice(ABUSE_ACTIONS),
    createdAt: column.time(),
    updatedAt: column.time(),
  },
  {
    natural: ['tenantId', 'name'],
    contradiction: ({ maxDeactivations, deactivationWindowDays }) =>
      (maxDeactivations === null) === (deactivationWindowDays === null)
        ? null
        : 'maxDeactivations and deactivationWindowDays belong together',
  },
);

/** A policy as stored. */
export type Policy = ValuesOf<typeof policyRecord>;
