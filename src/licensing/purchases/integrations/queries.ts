import { filter } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import { PROCESSORS } from './choices.ts';
import { type Integration, integrationRecord } from './record.ts';
import { soldWithin } from './repository.ts';
import { stillAccepted } from './secrets.ts';

/** Integrations that the actor may see; who is confined to products sees the ones that sell them. */
export const integrationRows = selection<Integration>({
  from: ({ db }) => db.knex(integrationRecord.table).whereNull('deleted_at'),
  id: 'id',
  scope: (query, ctx) => void soldWithin(ctx, query.where({ tenant_id: ctx.tenantId })),
  columns: ['*'],
  read: (row, ctx) => stillAccepted(ctx, integrationRecord.read(row)),
  filters: {
    processor: filter.choice([...PROCESSORS, 'WALLET'], { label: 'Processor', column: 'processor' }),
    enabled: filter.flag({ label: 'Enabled', column: 'enabled' }),
    created: filter.times({ label: 'Created', column: 'created_at' }),
    lastEvent: filter.times({ label: 'Last event', column: 'last_event_at' }),
  },
  search: { placeholder: 'Name', by: ['name'] },
  sorts: {
    name: 'name',
    processor: 'processor',
    created: 'created_at',
    updated: 'updated_at',
    lastEvent: { column: 'last_event_at', isNullable: true },
  },
  initial: 'name',
});
