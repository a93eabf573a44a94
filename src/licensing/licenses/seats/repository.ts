import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';

const nextEnd = statement<{ license_id: string; now: string }, { at: string | null }>((q, p) =>
  q('license_activations')
    .where('license_id', p('license_id'))
    .whereNull('ended_at')
    .where('lease_expires_at', '>', p('now'))
    .min('lease_expires_at as at'),
);

/** When the first live lease of a license runs out: when a seat is free again at the latest (6.6). */
export const findNextEnd = async (ctx: Ctx, licenseId: string, now: string): Promise<string | null> =>
  (await nextEnd.first(ctx.db, { license_id: licenseId, now }))?.at ?? null;

// Found by the machine, which has few rows; a license may have a hundred thousand leases that are over.
const lastExpired = statement<
  { tenant_id: string; license_id: string; machine_id: string },
  { at: string | null }
>((q, p) =>
  q('license_activations')
    .where('tenant_id', p('tenant_id'))
    .where('machine_id', p('machine_id'))
    .where('license_id', p('license_id'))
    .where('end_reason', 'LEASE_EXPIRED')
    .max('lease_expires_at as at'),
);

/** When the last lease of a machine that was swept had run out (6.6). */
export const findLastExpired = async (
  ctx: Ctx,
  licenseId: string,
  machineId: string,
): Promise<string | null> => {
  const machine = { tenant_id: ctx.tenantId, license_id: licenseId, machine_id: machineId };
  return (await lastExpired.first(ctx.db, machine))?.at ?? null;
};

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
