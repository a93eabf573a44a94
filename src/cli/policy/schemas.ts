import { z } from 'zod';
import { abuseActions, cullStrategies, trialReuseRules } from '../choices.ts';
import { dryRun, Instant, pageShape } from '../shapes.ts';

/** `Policy` of cli.md section 2. */
export const PolicyShape = z.strictObject({
  id: z.string(),
  name: z.string(),
  heartbeatInterval: z.int().nullable(),
  heartbeatCullStrategy: z.enum(cullStrategies),
  defaultLeaseDuration: z.int().nullable(),
  entitlements: z.record(z.string(), z.json()).nullable(),
  gracePeriodSeconds: z.int(),
  defaultDurationDays: z.int().nullable(),
  maxUses: z.int().nullable(),
  maxVersion: z.string().nullable(),
  maxDeactivations: z.int().nullable(),
  deactivationWindowDays: z.int().nullable(),
  offlineMaxTtlSeconds: z.int().nullable(),
  trialReuse: z.enum(trialReuseRules),
  abuseAction: z.enum(abuseActions),
  createdAt: Instant,
});

export const PolicyPage = pageShape(PolicyShape);
export const PolicyPlan = PolicyShape.extend({ dryRun });
