import type { Ctx } from '#kernel/context.ts';
import { matching } from '#kernel/db/selection/filter.ts';
import type { Search } from '#kernel/db/selection/spec.ts';

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
