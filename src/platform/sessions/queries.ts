import { filter } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import { endsAt } from './lifetime.ts';
import { sessionRecord } from './record.ts';
import type { ListedSession } from './repository.ts';

/** Sessions of customers that are open, for staff of the shop. */
export const customerSessionRows = selection<ListedSession>({
  from: (ctx) => {
    const { createdUntil, idleSince } = endsAt(ctx);
    return ctx.db
      .knex({ s: sessionRecord.table })
      .join({ c: 'customers' }, 'c.id', 's.customer_id')
      .whereRaw('s.customer_generation = c.session_generation')
      .where('s.created_at', '>', createdUntil)
      .where((busy) => busy.where('s.last_seen_at', '>', idleSince).orWhere('s.is_remembered', true));
  },
  id: 's.id',
  scope: 'none',
  columns: ['s.*'],
  read: sessionRecord.read,
  filters: {
    customerId: filter.lookup({ label: 'Customer', column: 's.customer_id', resource: 'shop-customers' }),
  },
  sorts: { seen: 's.last_seen_at' },
  initial: '-seen',
});
