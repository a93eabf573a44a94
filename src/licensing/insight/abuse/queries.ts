import type { Ctx } from '#kernel/context.ts';
import { readJson } from '#kernel/db/columns.ts';
import type { Knex } from '#kernel/db/database.ts';
import { filter } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import { statement } from '#kernel/db/statement.ts';
import * as products from '#licensing/catalog/products/index.ts';
import {
  ABUSE_RULES,
  type AbuseRule,
  FLAG_STATUSES,
  type FlagStatus,
} from '#licensing/contract/enumerations.ts';
import { DIGEST_LENGTH } from '../statistics/index.ts';
import type { Flag } from './view.ts';

/** Flags of the licenses that the actor may see, the newest first. */
export const flagRows = selection<Flag, Record<string, unknown>>({
  from: ({ db }) =>
    db
      .knex('license_abuse_flags as f')
      .join('licenses as l', 'l.id', 'f.license_id')
      .join('license_products as p', 'p.id', 'l.product_id'),
  id: 'f.id',
  scope: { tenant: 'f.tenant_id', license_product: 'l.product_id' },
  columns: ['f.*', 'p.slug as product_slug'],
  read: toFlag,
  filters: {
    status: filter.choice(FLAG_STATUSES, { label: 'State', column: 'f.status' }),
    rule: filter.choice(ABUSE_RULES, { label: 'Rule', column: 'f.rule' }),
    score: filter.numbers({ label: 'Score', column: 'f.score' }),
    licenseId: filter.lookup({ label: 'License', column: 'f.license_id', resource: 'licenses' }),
    productId: products.productFilter('l.product_id'),
    created: filter.times({ label: 'Raised', column: 'f.created_at' }),
  },
  sorts: { created: 'f.created_at', score: 'f.score', rule: 'f.rule', status: 'f.status' },
  initial: '-created',
});

function toFlag(row: Record<string, unknown>): Flag {
  return {
    id: row.id as string,
    licenseId: row.license_id as string,
    productSlug: row.product_slug as string,
    rule: row.rule as AbuseRule,
    status: row.status as FlagStatus,
    score: Number(row.score),
    evidence: readJson(row.evidence),
    note: row.note as string | null,
    resolvedBy: row.resolved_by as string | null,
    resolvedAt: row.resolved_at as string | null,
    createdAt: row.created_at as string,
  };
}

/** What is known of the flags of one rule of a license. */
export interface RulePast {
  isOpen: boolean;
  /** The last resolution; evidence from before it is spent. */
  resolvedAt: string | null;
}

/** The past of a license by rule. */
export async function listPast(ctx: Ctx, licenseId: string): Promise<Map<string, RulePast>> {
  const rows: { rule: string; open: unknown; resolved_at: string | null }[] = await ctx.db
    .knex('license_abuse_flags')
    .where({ license_id: licenseId })
    .groupBy('rule')
    .select('rule')
    .select(ctx.db.knex.raw("sum(CASE WHEN status = 'OPEN' THEN 1 ELSE 0 END) AS open"))
    .max('resolved_at as resolved_at');
  return new Map(
    rows.map((row) => [row.rule, { isOpen: Number(row.open) > 0, resolvedAt: row.resolved_at }]),
  );
}

const OBSERVATIONS = 'license_observations';
/** Licenses that are looked at together. */
export const PORTION = 200;

const dayOf = (at: string): string => at.slice(0, 10);

/** Place in the order in which observations were written. */
export interface Noted {
  /** A minute: `2026-03-01T14:05`. */
  notedAt: string;
  licenseId: string;
}

const notedSince = statement<{ kind: string; noted_at: string; license_id: string }, NotedRow>((q, p) =>
  q(OBSERVATIONS)
    .where('kind', p('kind'))
    .whereRaw('(noted_at, license_id) > (?, ?)', [p('noted_at'), p('license_id')])
    .distinct('noted_at', 'license_id')
    .orderBy('noted_at')
    .orderBy('license_id')
    .limit(PORTION),
);

interface NotedRow {
  noted_at: string;
  license_id: string;
}

/** The next licenses of which something of a kind was written after a place, in the order in which that was done. */
export const listNoted = async (ctx: Ctx, kind: string, after: Noted): Promise<Noted[]> => {
  const place = { kind, noted_at: after.notedAt, license_id: after.licenseId };
  const rows = await notedSince.all(ctx.db, place);
  return rows.map((row) => ({ notedAt: row.noted_at, licenseId: row.license_id }));
};

/** What a license shows at a first look: at least as much as any rule counts. */
export interface Glance {
  licenseId: string;
  tenantId: string;
  maxActivations: number;
  counts: Partial<Record<AbuseRule, number>>;
}

interface GlanceRow {
  license_id: string;
  tenant_id: string;
  max_activations: number;
  kind: string;
  distinct: unknown;
  total: unknown;
}

const ruleOfKind: Readonly<Record<string, AbuseRule>> = {
  IP_NET: 'IP_SPREAD',
  MACHINE_TRIED: 'MACHINE_SPREAD',
  LIMIT: 'LIMIT_HAMMER',
  BEAT_IP: 'CLONED_MACHINE',
  CHURN: 'CHURN',
};

/** Kinds of observations that rules count. */
export const countedKinds: readonly string[] = Object.keys(ruleOfKind);

/**
 * Counts what was observed of some licenses within a day, and pairs of the last 31 days for those that had one lately.
 * Trashed licenses are left out.
 *
 * @param since ISO 8601 UTC, a day ago
 */
export async function glance(ctx: Ctx, licenseIds: readonly string[], since: string): Promise<Glance[]> {
  const { knex } = ctx.db;
  const rows: GlanceRow[] = await knex(`${OBSERVATIONS} as o`)
    .join('licenses as l', 'l.id', 'o.license_id')
    .whereIn('o.license_id', [...licenseIds])
    .where('o.day', '>=', dayOf(since))
    .where('o.last_at', '>', since)
    .whereNull('l.deleted_at')
    .groupBy('o.license_id', 'l.tenant_id', 'l.max_activations', 'o.kind')
    .select('o.license_id', 'l.tenant_id', 'l.max_activations', 'o.kind')
    .countDistinct('o.value as distinct')
    .sum('o.count as total');
  const found = new Map<string, Glance>();
  for (const row of rows) {
    const { license_id: licenseId, tenant_id: tenantId, max_activations: maxActivations } = row;
    const glance = found.get(licenseId) ?? { licenseId, tenantId, maxActivations, counts: {} };
    found.set(licenseId, glance);
    const rule = ruleOfKind[row.kind];
    if (rule === 'CHURN') glance.counts.CHURN = Number.POSITIVE_INFINITY;
    else if (rule)
      glance.counts[rule] = Number(
        row.kind.endsWith('_NET') || row.kind === 'MACHINE_TRIED' ? row.distinct : row.total,
      );
  }
  return [...found.values()];
}

type Count = (ctx: Ctx, licenseId: string, since: string) => Promise<number>;

function observed(ctx: Ctx, licenseId: string, kind: string, since: string): Knex.QueryBuilder {
  return ctx.db.knex(OBSERVATIONS).where({ license_id: licenseId, kind }).where('day', '>=', dayOf(since));
}

/** A value counts when it was seen after the time, whether it was seen before or not. */
const distinct =
  (kind: string): Count =>
  async (ctx, licenseId, since) => {
    const query = observed(ctx, licenseId, kind, since).where('last_at', '>', since);
    const [row] = await query.countDistinct('value as n');
    return Number(row?.n ?? 0);
  };

/** Rows of a minute count as a whole, and only those of minutes that began after the time. */
async function total(query: Knex.QueryBuilder, since: string): Promise<number> {
  const [row] = await query.where('first_at', '>', since).sum('count as n');
  return Number(row?.n ?? 0);
}

/** How each rule counts, exactly, since a time (ISO 8601 UTC). */
export const countsOf: Partial<Record<AbuseRule, Count>> = {
  IP_SPREAD: distinct('IP_NET'),
  MACHINE_SPREAD: distinct('MACHINE_TRIED'),
  LIMIT_HAMMER: (ctx, licenseId, since) => total(observed(ctx, licenseId, 'LIMIT', since), since),
  CHURN: (ctx, licenseId, since) =>
    total(observed(ctx, licenseId, 'CHURN', since).where('value', 'like', 'PAIR.%'), since),
  CLONED_MACHINE: async (ctx, licenseId, since) => {
    const machine = ctx.db.knex.raw('substr(value, 1, CAST(? AS integer))', [DIGEST_LENGTH]);
    const row = await observed(ctx, licenseId, 'BEAT_IP', since)
      .where('first_at', '>', since)
      .groupBy(machine)
      .sum('count as n')
      .orderBy('n', 'desc')
      .first();
    return Number(row?.n ?? 0);
  },
};
