import type { Ctx } from '#kernel/context.ts';
import { matching } from '#kernel/db/selection/filter.ts';
import type { Search } from '#kernel/db/selection/spec.ts';
import { statement } from '#kernel/db/statement.ts';

/** Finds activations `a` by the id of their machine. Only a text that is no id is looked for in all their names. */
export const machineSearch: Search = {
  placeholder: 'Machine',
  async by(query, text, ctx) {
    if (await isMachine(ctx, text)) query.where('a.machine_id', text);
    else matching(query, 'a.machine_name', text, 'contains');
  },
};

async function isMachine({ db, tenantId }: Ctx, id: string): Promise<boolean> {
  const known = db.knex('license_activations').where({ tenant_id: tenantId, machine_id: id }).select('id');
  return (await known.limit(1)).length > 0;
}

const machineOfRow = statement<{ id: string; license_id: string; tenant_id: string }, { machine_id: string }>(
  (q, p) =>
    q('license_activations')
      .where(p.row('id', 'license_id', 'tenant_id'))
      .whereNull('ended_at')
      .select('machine_id'),
);

/** The machine of an activation that has not been ended; null for one that has, or is another license's. */
export const machineOf = async (ctx: Ctx, licenseId: string, activationId: string): Promise<string | null> =>
  (
    await machineOfRow.first(ctx.db, {
      id: activationId,
      license_id: licenseId,
      tenant_id: ctx.tenantId,
    })
  )?.machine_id ?? null;
