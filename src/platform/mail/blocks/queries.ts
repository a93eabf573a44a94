import type { Ctx } from '#kernel/context.ts';
import { filter } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import { type Block, blockRecord } from './record.ts';

const TABLE = blockRecord.table;

/** Addresses to which nothing is sent. */
export const blockRows = selection<Block>({
  from: ({ db }) => db.knex(TABLE),
  id: 'id',
  scope: 'none',
  columns: ['*'],
  read: blockRecord.read,
  filters: {
    address: filter.text({ label: 'Address', column: 'address_norm', match: 'contains' }),
    created: filter.times({ label: 'Blocked', column: 'created_at' }),
  },
  sorts: { created: 'created_at' },
  initial: '-created',
});

/** How many addresses are blocked, and how many of them since an ISO time. */
export async function countBlocks({ db }: Ctx, since: string): Promise<{ all: number; lately: number }> {
  const count = async (query: { count(of: object): Promise<unknown> }): Promise<number> => {
    const [row] = (await query.count({ n: '*' })) as { n: number | string }[];
    return Number(row?.n ?? 0);
  };
  return {
    all: await count(db.knex(TABLE)),
    lately: await count(db.knex(TABLE).where('created_at', '>=', since)),
  };
}
