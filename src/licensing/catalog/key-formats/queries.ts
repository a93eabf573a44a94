import type { Ctx } from '#kernel/context.ts';
import { countsBy } from '#kernel/db/counts.ts';
import { filter } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import { visibleTo } from '#kernel/db/visible.ts';
import { KEY_ALPHABETS, KEY_CHECKSUMS } from '#licensing/contract/enumerations.ts';
import { keyFormatRecord, type StoredKeyFormat } from './record.ts';

const TABLE = keyFormatRecord.table;

/** Key formats as staff lists them. */
export const keyFormatRows = selection<StoredKeyFormat>({
  from: ({ db }) => db.knex(TABLE),
  id: 'id',
  scope: { tenant: 'tenant_id' },
  columns: ['*'],
  read: keyFormatRecord.read,
  filters: {
    alphabet: filter.choice(KEY_ALPHABETS, { label: 'Characters', column: 'alphabet' }),
    checksum: filter.choice(KEY_CHECKSUMS, { label: 'Check character', column: 'checksum' }),
  },
  search: { placeholder: 'Name or prefix', by: ['name', 'prefix'] },
  sorts: { name: 'name', created: 'created_at' },
  initial: 'name',
});

/** How many of the products that the actor sees name each key format of a page. */
export const usesOf = (ctx: Ctx, ids: readonly string[]): Promise<(id: string) => number> => {
  const products = ctx.db.knex('license_products').where({ tenant_id: ctx.tenantId });
  return countsBy(visibleTo(ctx, products, { license_product: 'id' }), 'key_format_id', ids);
};
