import { filter, matching } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import { SUBSCRIBER_STATUSES, type Subscriber, subscriberRecord } from './record.ts';

/** Subscribers of the shop: it belongs to one tenant (storefront-domain 13). */
export const subscriberRows = selection<Subscriber>({
  from: ({ db }) => db.knex(subscriberRecord.table),
  id: 'id',
  scope: 'none',
  columns: ['*'],
  read: subscriberRecord.read,
  filters: { status: filter.choice(SUBSCRIBER_STATUSES, { label: 'Status', column: 'status' }) },
  search: {
    placeholder: 'Email',
    by: (query, text) => void matching(query, 'email', text, 'contains'),
  },
  sorts: { created: 'created_at', email: 'email_norm' },
  initial: '-created',
});
