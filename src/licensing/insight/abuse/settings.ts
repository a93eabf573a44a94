import type { Ctx } from '#kernel/context.ts';
import { requireUnconfined } from '#kernel/service/confined.ts';
import { changesBetween } from '#kernel/service/diff.ts';
import { ABUSE_RULES, type AbuseRule } from '#licensing/contract/enumerations.ts';
import { fail } from '#licensing/contract/errors.ts';
import { abuseEvents } from './events.ts';
import * as repo from './repository.ts';
import { ruleSpecs } from './rules.ts';
import type { RuleSetting } from './view.ts';

const MOST = 1_000_000;

/** All rules as they hold for the tenant: defaults, and what the tenant changed (D128). */
export async function listRules(ctx: Ctx): Promise<RuleSetting[]> {
  const stored = new Map((await repo.listRules(ctx)).map((row) => [row.rule, row]));
  return ABUSE_RULES.map((rule) => settingOf(rule, stored.get(rule)));
}

/** One rule as it holds for the tenant. */
export const ruleOf = async (ctx: Ctx, rule: AbuseRule): Promise<RuleSetting> =>
  settingOf(rule, await repo.findRule(ctx, rule));

function settingOf(rule: AbuseRule, row: repo.StoredRule | undefined): RuleSetting {
  const { summary, params } = ruleSpecs[rule];
  const own = Object.entries(row?.params ?? {}).filter(([name]) => Object.hasOwn(params, name));
  return {
    rule,
    enabled: row?.enabled ?? true,
    params: { ...params, ...Object.fromEntries(own) },
    summary,
    updatedAt: row?.updatedAt ?? null,
  };
}

/**
 * Changes rules for the tenant, all of them or none; rules that are not named stay.
 *
 * @returns all rules as they hold now
 * @throws AppError as `setRule`, with the place in the list
 */
export async function setRules(
  ctx: Ctx,
  changes: readonly ({ rule: string } & RuleChange)[],
): Promise<RuleSetting[]> {
  return ctx.tx(async (ctx) => {
    for (const [index, { rule, ...change }] of changes.entries())
      await setRule(ctx, rule, change, `rules.${index}.`);
    return listRules(ctx);
  });
}

/** What is changed of a rule; what is not given stays. */
export interface RuleChange {
  readonly enabled?: boolean | undefined;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Changes a rule for the tenant; what is not given stays (D128).
 *
 * @param place of the change in the input, for what is wrong with it
 * @param change `params` names thresholds of the rule, whole numbers from 0 to 1,000,000
 * @throws AppError VALIDATION_ERROR for an unknown rule or threshold, a value out of range, and for MANUAL, which staff
 *   raise by hand and no switch can take from them
 */
export async function setRule(ctx: Ctx, rule: string, change: RuleChange, place = ''): Promise<RuleSetting> {
  requireUnconfined(ctx.actor, 'license_product');
  const known = knownRule(rule, place);
  const params = checkedParams(known, change.params ?? {}, place);
  return ctx.tx(async (ctx) => {
    const before = await ruleOf(ctx, known);
    const after = {
      enabled: change.enabled ?? before.enabled,
      params: { ...before.params, ...params },
    };
    const diff = changesBetween({ enabled: before.enabled, params: before.params }, after);
    if (Object.keys(diff).length === 0) return before;
    const updatedAt = ctx.now();
    await repo.putRule(ctx, known, { ...after, updatedAt });
    await abuseEvents.tell(ctx, 'ABUSE_RULE_CHANGED', known, after, {
      before: { enabled: before.enabled, params: before.params },
      after,
    });
    return { ...before, ...after, updatedAt };
  });
}

function knownRule(rule: string, place: string): AbuseRule {
  const known = ABUSE_RULES.find((name) => name === rule);
  if (known === undefined)
    throw invalid(`${place}rule`, 'unknown', `must be one of ${ABUSE_RULES.join(', ')}`);
  if (known === 'MANUAL')
    throw invalid(`${place}rule`, 'fixed', 'MANUAL has neither thresholds nor a switch');
  return known;
}

function checkedParams(
  rule: AbuseRule,
  params: Readonly<Record<string, unknown>>,
  place: string,
): Record<string, number> {
  const names = Object.keys(ruleSpecs[rule].params);
  const entries = Object.entries(params).map(([name, value]): [string, number] => {
    if (!names.includes(name)) {
      const known = names.length === 0 ? 'none' : names.join(', ');
      throw invalid(`${place}params`, 'unknown', `has no ${name}; thresholds of ${rule}: ${known}`);
    }
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > MOST)
      throw invalid(`${place}params.${name}`, 'range', `must be a whole number from 0 to ${MOST}`);
    return [name, value];
  });
  return Object.fromEntries(entries);
}

const invalid = (path: string, rule: string, message: string) =>
  fail('VALIDATION_ERROR', `${path} ${message}`, { details: { issues: [{ path, rule, message }] } });
