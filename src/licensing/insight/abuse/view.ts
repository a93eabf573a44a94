import { z } from 'zod';
import { instant } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { ABUSE_RULES, FLAG_STATUSES } from '#licensing/contract/enumerations.ts';

/** A suspicion about a license and what became of it (D129). */
export const FlagView = later(() =>
  z
    .object({
      id: z.string(),
      licenseId: z.string(),
      productSlug: z.string(),
      rule: z.enum(ABUSE_RULES),
      status: z.enum(FLAG_STATUSES),
      score: z.number(),
      /** Counters by name, nothing else. */
      evidence: z.record(z.string(), z.number()),
      note: z.string().nullable(),
      /** Who cleared or confirmed it: `cli:ann`. */
      resolvedBy: z.string().nullable(),
      resolvedAt: instant().nullable(),
      createdAt: instant(),
    })
    .meta({ id: 'AbuseFlag' }),
);
export type Flag = z.output<typeof FlagView>;

/** A rule as it holds for a tenant. */
export const RuleView = later(() =>
  z
    .object({
      rule: z.enum(ABUSE_RULES),
      enabled: z.boolean(),
      /** Thresholds by name. */
      params: z.record(z.string(), z.int()),
      summary: z.string(),
      /** null: never changed. */
      updatedAt: instant().nullable(),
    })
    .meta({ id: 'AbuseRule' }),
);
export type RuleSetting = z.output<typeof RuleView>;

/** Every rule. */
export const RulesView = z.object({ items: z.array(RuleView) }).meta({ id: 'AbuseRules' });
