import type { Ctx } from '#kernel/context.ts';
import { readFlag, readJson, writeJson } from '#kernel/db/columns.ts';
import { statement } from '#kernel/db/statement.ts';
import type { AbuseRule, FlagStatus } from '#licensing/contract/enumerations.ts';
import type { Thresholds } from './rules.ts';

/** What a tenant changed of a rule. */
export interface StoredRule {
  rule: string;
  enabled: boolean;
  params: Thresholds;
  updatedAt: string;
}

interface RuleRow {
  rule: string;
  enabled: unknown;
  params: unknown;
  updated_at: string;
}

const ruleRow = statement<{ tenant_id: string; rule: string }, RuleRow>((q, p) =>
  q('license_abuse_rules').where(p.row('tenant_id', 'rule')).select('*'),
);

const toRule = (row: RuleRow): StoredRule => ({
  rule: row.rule,
  enabled: readFlag(row.enabled),
  params: readJson(row.params),
  updatedAt: row.updated_at,
});

export async function findRule(ctx: Ctx, rule: AbuseRule): Promise<StoredRule | undefined> {
  const row = await ruleRow.first(ctx.db, { tenant_id: ctx.tenantId, rule });
  return row && toRule(row);
}

export async function listRules(ctx: Ctx): Promise<StoredRule[]> {
  const rows: RuleRow[] = await ctx.db.knex('license_abuse_rules').where({ tenant_id: ctx.tenantId });
  return rows.map(toRule);
}

/** Stores a rule of the tenant; the last of two at once wins. */
export async function putRule(
  ctx: Ctx,
  rule: AbuseRule,
  { enabled, params, updatedAt }: Omit<StoredRule, 'rule'>,
): Promise<void> {
  const values = { enabled, params: writeJson(params), updated_at: updatedAt };
  await ctx.db
    .knex('license_abuse_rules')
    .insert({ tenant_id: ctx.tenantId, rule, ...values, created_at: updatedAt })
    .onConflict(['tenant_id', 'rule'])
    .merge(values);
}

interface NewFlag {
  id: string;
  licenseId: string;
  rule: AbuseRule;
  score: number;
  evidence: Record<string, number>;
  note: string | null;
}

interface FlagValues {
  id: string;
  tenant_id: string;
  license_id: string;
  rule: string;
  score: number;
  evidence: string;
  note: string | null;
  now: string;
}

// No target is named: the one index that can be violated is the partial one of open flags.
const insertOpen = statement<FlagValues>((q, p) =>
  q('license_abuse_flags')
    .insert({
      ...p.row('id', 'tenant_id', 'license_id', 'rule', 'score', 'evidence', 'note'),
      status: 'OPEN',
      created_at: p('now'),
      updated_at: p('now'),
    })
    .onConflict()
    .ignore(),
);

/** Opens a flag; false while one of the same rule is open (D129). */
export const insertFlag = async (ctx: Ctx, flag: NewFlag): Promise<boolean> =>
  (await insertOpen.run(ctx.db, {
    id: flag.id,
    tenant_id: ctx.tenantId,
    license_id: flag.licenseId,
    rule: flag.rule,
    score: flag.score,
    evidence: writeJson(flag.evidence),
    note: flag.note,
    now: ctx.now(),
  })) === 1;

interface Resolution {
  id: string;
  status: FlagStatus;
  note: string | null;
  resolved_by: string;
  now: string;
}

const resolveRow = statement<Resolution>((q, p) =>
  q('license_abuse_flags')
    .where('id', p('id'))
    .where('status', 'OPEN')
    .update({
      status: p('status'),
      note: p('note'),
      resolved_by: p('resolved_by'),
      resolved_at: p('now'),
      updated_at: p('now'),
    }),
);

/** Closes an open flag; false when it is not open any more (C6). */
export const resolve = async (
  ctx: Ctx,
  {
    id,
    status,
    note,
    resolvedBy,
  }: { id: string; status: FlagStatus; note: string | null; resolvedBy: string },
): Promise<boolean> =>
  (await resolveRow.run(ctx.db, { id, status, note, resolved_by: resolvedBy, now: ctx.now() })) === 1;
