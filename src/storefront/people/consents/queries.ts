import { filter } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import { type Consent, consentRecord } from './record.ts';

/** What customers agreed to and withdrew, for staff. */
export const consentRows = selection<Consent>({
  from: ({ db }) => db.knex(consentRecord.table),
  id: 'id',
  scope: 'none',
  columns: ['*'],
  read: consentRecord.read,
  filters: {
    customerId: filter.lookup({ label: 'Customer', column: 'customer_id', resource: 'shop-customers' }),
  },
  sorts: { created: 'created_at' },
  initial: '-created',
});
