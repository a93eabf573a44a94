import { addSeconds } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import type { AbuseRule } from '#licensing/contract/enumerations.ts';
import { countsOf } from '../queries.ts';
import { countedRules, ruleSpecs } from '../rules.ts';

/** Kinds of observations by the rule that counts them. */
const kinds: Partial<Record<AbuseRule, string>> = {
  IP_SPREAD: 'IP_NET',
  MACHINE_SPREAD: 'MACHINE_TRIED',
  LIMIT_HAMMER: 'LIMIT',
  CLONED_MACHINE: 'BEAT_IP',
  CHURN: 'CHURN',
};

/** How high a rule counts for a license of the tenant now. */
export interface Score {
  readonly rule: AbuseRule;
  readonly maxActivations: number;
  readonly score: number;
}

/** Most licenses of a rule whose counters are read: those with the most observations, which thresholds are about. */
const MOST = 500;

/**
 * What the rules that count would score for the licenses of the tenant, from the observations that are kept: those with
 * the most of them, which are the ones that a threshold tells apart.
 */
export async function listScores(ctx: Ctx): Promise<Score[]> {
  const scores: Score[] = [];
  for (const rule of countedRules) scores.push(...(await scoresOf(ctx, rule)));
  return scores;
}

async function scoresOf(ctx: Ctx, rule: AbuseRule): Promise<Score[]> {
  const { counts } = ruleSpecs[rule];
  const count = countsOf[rule];
  if (!counts || !count) return [];
  const since = addSeconds(ctx.now(), -counts.windowSeconds);
  const rows: { id: string; max_activations: number }[] = await ctx.db
    .knex('license_observations as o')
    .join('licenses as l', 'l.id', 'o.license_id')
    .where({ 'o.kind': kinds[rule] ?? '', 'l.tenant_id': ctx.tenantId, 'l.honeypot': false })
    .where('o.noted_at', '>=', since.slice(0, 16))
    .whereNull('l.deleted_at')
    .groupBy('l.id', 'l.max_activations')
    .orderByRaw('count(*) DESC, l.id')
    .limit(MOST)
    .select('l.id', 'l.max_activations');
  const scores: Score[] = [];
  for (const { id, max_activations: maxActivations } of rows)
    scores.push({ rule, maxActivations, score: await count(ctx, id, since) });
  return scores;
}
