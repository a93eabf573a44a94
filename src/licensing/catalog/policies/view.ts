import type { z } from 'zod';
import { shownBy, storedView } from '#kernel/service/view.ts';
import { type Policy, policyRecord } from './record.ts';

/** A policy as staff see it; null means that it sets no such rule. */
export const PolicyView = storedView(policyRecord, [
  'id',
  'name',
  'heartbeatInterval',
  'heartbeatCullStrategy',
  'defaultLeaseDuration',
  'entitlements',
  'gracePeriodSeconds',
  'defaultDurationDays',
  'maxUses',
  'maxVersion',
  'maxDeactivations',
  'deactivationWindowDays',
  'offlineMaxTtlSeconds',
  'trialReuse',
  'abuseAction',
  'createdAt',
  'updatedAt',
]).meta({ id: 'Policy' });
export type PolicyView = z.output<typeof PolicyView>;

export const policyView = (policy: Policy): PolicyView => shownBy(PolicyView, policy);
