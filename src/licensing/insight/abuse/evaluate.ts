import { setImmediate as nextTurn } from 'node:timers/promises';
import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { type Leftovers, startLeftovers } from '#kernel/jobs/leftovers.ts';
import { memoryKey } from '#kernel/process-memory.ts';
import type { AbuseRule } from '#licensing/contract/enumerations.ts';
import {
  countedKinds,
  countsOf,
  type Glance,
  glance,
  listNoted,
  listPast,
  type Noted,
  PORTION,
} from './queries.ts';
import { raise } from './raise.ts';
import { countedRules, ruleSpecs } from './rules.ts';
import { listRules } from './settings.ts';
import type { RuleSetting } from './view.ts';

/** Two processes may not agree about the time, and what one of them wrote is seen when its transaction has ended. */
const TOLERANCE_SECONDS = 300;
/** The begin of the last evaluation that came to its end in this process; a new process looks at a whole day. */
const lastBegin = memoryKey<{ value: string | null }>('abuse-last-begin', () => ({ value: null }));

type RulesByTenant = Map<string, Promise<RuleSetting[]>>;

/**
 * Evaluates the rules that count (D128) for the licenses of which anything was written since the last evaluation: no
 * rule can be broken anew without an observation. A look at the counters of many licenses at once leaves the few that
 * are worth an exact count.
 *
 * @returns `licenses` that were looked at and flags that were `raised`
 * @throws PartlyDone when licenses failed, after all others were judged: the next run looks at the same licenses again
 */
export async function evaluate(ctx: Ctx): Promise<{ licenses: number; raised: number }> {
  const done = { licenses: 0, raised: 0 };
  const now = ctx.now();
  const memory = ctx.memory.of(lastBegin);
  const rules: RulesByTenant = new Map();
  const leftovers = startLeftovers(ctx, { job: 'abuse', what: 'license' });
  for await (const ids of notedSince(ctx, sinceOf(memory.value, now))) {
    done.raised += await judgeSome(ctx, ids, now, { rules, leftovers });
    done.licenses += ids.length;
    // Reads of SQLite never wait: without a turn of the event loop a long walk would hold up every request.
    await nextTurn();
  }
  leftovers.settle(done);
  memory.value = now;
  return done;
}

/** From the last evaluation on; at most a day, beyond which no rule but that of a month counts. */
function sinceOf(last: string | null, now: string): string {
  const dayAgo = addSeconds(now, -SECONDS_PER_DAY);
  const before = last === null ? dayAgo : addSeconds(last, -TOLERANCE_SECONDS);
  return before > dayAgo ? before : dayAgo;
}

/** Licenses in portions, each once. */
async function* notedSince(ctx: Ctx, since: string): AsyncGenerator<string[]> {
  const told = new Set<string>();
  for (const kind of countedKinds) {
    let after: Noted = { notedAt: since.slice(0, MINUTE_LENGTH), licenseId: '' };
    for (;;) {
      const found = await listNoted(ctx, kind, after);
      const ids = new Set(found.map(({ licenseId }) => licenseId).filter((id) => !told.has(id)));
      for (const id of ids) told.add(id);
      if (ids.size > 0) yield [...ids];
      const last = found.at(-1);
      if (!last || found.length < PORTION) break;
      after = last;
    }
  }
}

/** `2026-03-01T14:05` */
const MINUTE_LENGTH = 16;

async function judgeSome(
  ctx: Ctx,
  ids: readonly string[],
  now: string,
  { rules, leftovers }: { rules: RulesByTenant; leftovers: Leftovers },
): Promise<number> {
  let raised = 0;
  for (const seen of await glance(ctx, ids, addSeconds(now, -SECONDS_PER_DAY))) {
    const own = ctx.with({ tenantId: seen.tenantId });
    const known = rules.get(seen.tenantId) ?? listRules(own);
    rules.set(seen.tenantId, known);
    const suspicious = (await known).filter((setting) => isSuspicious(setting, seen));
    if (suspicious.length === 0) continue;
    await leftovers.attempt(seen.licenseId, async () => {
      raised += await judgeLicense(own, seen, suspicious, now);
    });
  }
  return raised;
}

function isSuspicious({ rule, enabled, params }: RuleSetting, { counts, maxActivations }: Glance): boolean {
  const limit = ruleSpecs[rule].counts?.limit(params, maxActivations);
  return enabled && limit !== undefined && countedRules.includes(rule) && (counts[rule] ?? 0) > limit;
}

async function judgeLicense(
  ctx: Ctx,
  seen: Glance,
  settings: readonly RuleSetting[],
  now: string,
): Promise<number> {
  const past = await listPast(ctx, seen.licenseId);
  let raised = 0;
  for (const { rule, params } of settings) {
    const { isOpen = false, resolvedAt = null } = past.get(rule) ?? {};
    if (!isOpen && (await judgeRule(ctx, seen, rule, params, { now, resolvedAt }))) raised += 1;
  }
  return raised;
}

/** What was observed before the last resolution is spent: the same evidence raises no second flag. */
async function judgeRule(
  ctx: Ctx,
  { licenseId, maxActivations }: Glance,
  rule: AbuseRule,
  params: RuleSetting['params'],
  { now, resolvedAt }: { now: string; resolvedAt: string | null },
): Promise<boolean> {
  const { counts } = ruleSpecs[rule];
  const count = countsOf[rule];
  if (!counts || !count) return false;
  const windowStart = addSeconds(now, -counts.windowSeconds);
  const since = resolvedAt !== null && resolvedAt > windowStart ? resolvedAt : windowStart;
  const score = await count(ctx, licenseId, since);
  const limit = counts.limit(params, maxActivations);
  if (score <= limit) return false;
  const evidence = { [counts.name]: score, limit, windowSeconds: counts.windowSeconds };
  return (await raise(ctx, { licenseId, rule, score, evidence })) !== null;
}
