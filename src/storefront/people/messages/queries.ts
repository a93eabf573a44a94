import type { Ctx } from '#kernel/context.ts';
import { filter, matching } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import { statement } from '#kernel/db/statement.ts';
import { MESSAGE_STATUSES, type Message, messageRecord } from './record.ts';

/** Messages to the shop: it belongs to one tenant (storefront-domain 13). */
export const messageRows = selection<Message>({
  from: ({ db }) => db.knex(messageRecord.table),
  id: 'id',
  scope: 'none',
  columns: ['*'],
  read: messageRecord.read,
  filters: { status: filter.choice(MESSAGE_STATUSES, { label: 'Status', column: 'status' }) },
  search: {
    placeholder: 'Name, email or text',
    by: (query, text) => {
      query.where((any) => {
        for (const column of ['email', 'name', 'subject', 'message'])
          any.orWhere((each) => matching(each, column, text, 'contains'));
      });
    },
  },
  sorts: { created: 'created_at' },
  initial: '-created',
});

const open = statement<Record<never, never>, { count: number }>((q) =>
  q(messageRecord.table).where('status', q.raw("'open'")).count({ count: '*' }),
);

/** How many wait for an answer. */
export const countOpen = async ({ db }: Ctx): Promise<number> =>
  Number((await open.first(db, {}))?.count ?? 0);
