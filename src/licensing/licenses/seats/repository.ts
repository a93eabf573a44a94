import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';

const dueRows = statement<{ now: string }, { license_id: string; tenant_id: string }>((q, p) =>
  q('license_activations')
    .whereNull('ended_at')
    .where('lease_expires_at', '<=', p('now'))
    .orderBy('lease_expires_at')
    .limit(5000)
    .select('license_id', 'tenant_id'),
);

/** Licenses of the 5,000 leases that ran out first and were not ended yet, without locks (C12; licensing 4.5). */
export async function listDue(ctx: Ctx): Promise<{ licenseId: string; tenantId: string }[]> {
  const rows = await dueRows.all(ctx.db, { now: ctx.now() });
  const tenants = new Map(rows.map((row) => [row.license_id, row.tenant_id]));
  return [...tenants].map(([licenseId, tenantId]) => ({ licenseId, tenantId }));
}
