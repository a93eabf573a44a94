import type { Ctx } from '#kernel/context.ts';

/** What was asked of a license on a day, as far as it is written: the figures of today come when the day is over. */
export interface LicenseDay {
  readonly day: string;
  readonly validations: number;
  readonly refused: number;
}

/** Days of a license from one on, those without any request left out. @param since `2026-03-01` */
export async function listLicenseDays(ctx: Ctx, licenseId: string, since: string): Promise<LicenseDay[]> {
  const rows: Record<string, unknown>[] = await ctx.db
    .knex('license_stats')
    .where({ license_id: licenseId })
    .where('day', '>=', since)
    .select('day', 'validations', 'denials');
  return rows.map(({ day, validations, denials }) => ({
    day: String(day),
    validations: Number(validations),
    refused: Number(denials),
  }));
}

/** Why requests for a license were refused. */
export interface Refused {
  readonly code: string;
  readonly day: string;
  readonly count: number;
  readonly machines: number;
  readonly firstAt: string;
  readonly lastAt: string;
}

/** Refusals of a license from a day on, the newest first. @param since `2026-03-01` */
export async function listRefused(ctx: Ctx, licenseId: string, since: string): Promise<Refused[]> {
  const rows: Record<string, unknown>[] = await ctx.db
    .knex('license_denials')
    .where({ license_id: licenseId })
    .where('day', '>=', since)
    .orderBy([{ column: 'day', order: 'desc' }, { column: 'count', order: 'desc' }, { column: 'code' }])
    .select('day', 'code', 'count', 'machines', 'first_at', 'last_at');
  return rows.map((row) => ({
    code: String(row.code),
    day: String(row.day),
    count: Number(row.count),
    machines: Number(row.machines),
    firstAt: String(row.first_at),
    lastAt: String(row.last_at),
  }));
}

/** When a machine came and went. */
export interface Span {
  readonly from: string;
  /** Null for one that is still there. */
  readonly until: string | null;
}

/** Machines of a license that were activated at some time since a moment. @param since ISO 8601 UTC */
export async function listSpans(ctx: Ctx, licenseId: string, since: string): Promise<Span[]> {
  const rows: { activated_at: string; ended_at: string | null; lease_expires_at: string | null }[] =
    await ctx.db
      .knex('license_activations')
      .where({ license_id: licenseId })
      .where((live) => live.whereNull('ended_at').orWhere('ended_at', '>', since))
      .select('activated_at', 'ended_at', 'lease_expires_at');
  const now = ctx.now();
  // A lease that has run out is over, swept or not (D75).
  return rows.map(({ activated_at: from, ended_at: until, lease_expires_at: lease }) => ({
    from,
    until: until ?? (lease !== null && lease <= now ? lease : null),
  }));
}
