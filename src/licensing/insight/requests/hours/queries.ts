import type { Ctx } from '#kernel/context.ts';
import { requestHourRecord } from './record.ts';

/** What was counted of an hour or a day, by how long it took. */
export interface Counted {
  /** `2026-03-01T14`, or `2026-03-01`. */
  readonly at: string;
  readonly upToMs: number;
  readonly requests: number;
  readonly refused: number;
  readonly failed: number;
}

/** Letters of an ISO time that name an hour, and a day. */
const LETTERS = { hour: 13, day: 10 } as const;

/**
 * Requests of the tenant.
 *
 * @param range ISO 8601 UTC, from the hour of the first moment on, before the last
 */
export async function listCounted(
  ctx: Ctx,
  { from, to }: { readonly from: string; readonly to: string },
  by: keyof typeof LETTERS,
): Promise<Counted[]> {
  const { knex } = ctx.db;
  const rows: Record<string, unknown>[] = await knex(requestHourRecord.table)
    .where({ tenant_id: ctx.tenantId })
    .where('hour', '>=', `${from.slice(0, LETTERS.hour)}:00:00.000Z`)
    .where('hour', '<', to)
    .groupBy('at', 'up_to_ms')
    .orderBy(['at', 'up_to_ms'])
    .select({ at: knex.raw('substr(hour, 1, ?)', [LETTERS[by]]), upToMs: 'up_to_ms' })
    .sum({ requests: 'requests', refused: 'refused', failed: 'failed' });
  return rows.map((row) => ({
    at: String(row.at),
    upToMs: Number(row.upToMs),
    requests: Number(row.requests),
    refused: Number(row.refused),
    failed: Number(row.failed),
  }));
}
