import { z } from 'zod';
import type { Flag, RuleSetting } from '#licensing/insight/abuse/index.ts';
import { dryRun, Instant, pageShape } from '../shapes.ts';
import { abuseRules, flagStatuses } from './choices.ts';

/** A flag of a license; evidence holds counters only. */
export const FlagShape = z.strictObject({
  id: z.string(),
  licenseId: z.string(),
  productSlug: z.string(),
  rule: z.enum(abuseRules),
  status: z.enum(flagStatuses),
  score: z.number(),
  evidence: z.record(z.string(), z.number()),
  note: z.string().nullable(),
  resolvedBy: z.string().nullable(),
  resolvedAt: Instant.nullable(),
  createdAt: Instant,
}) satisfies z.ZodType<Flag>;

export const FlagPage = pageShape(FlagShape);
export const FlagPlan = FlagShape.extend({ dryRun });

const Rule = z.strictObject({
  rule: z.enum(abuseRules),
  enabled: z.boolean(),
  params: z.record(z.string(), z.int()),
  summary: z.string(),
  updatedAt: Instant.nullable(),
}) satisfies z.ZodType<RuleSetting>;

export const RuleList = z.strictObject({ items: z.array(Rule) });
export const RulePlan = Rule.extend({ dryRun });
