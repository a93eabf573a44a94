import { filter } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import { LICENSING_MODES, PRODUCT_STATUSES, PRODUCT_TYPES } from '#licensing/contract/enumerations.ts';
import * as keyFormats from '../key-formats/index.ts';
import * as policies from '../policies/index.ts';
import { type Product, productRecord } from './record.ts';

const TABLE = productRecord.table;

/** Products that the actor may see. */
export const productRows = selection<Product>({
  from: ({ db }) => db.knex(TABLE),
  id: 'id',
  scope: { tenant: 'tenant_id', license_product: 'id' },
  columns: ['*'],
  read: productRecord.read,
  filters: {
    status: filter.choice(PRODUCT_STATUSES, {
      label: 'Status',
      column: 'status',
    }),
    type: filter.choice(PRODUCT_TYPES, { label: 'Type', column: 'type' }),
    licensingMode: filter.choice(LICENSING_MODES, {
      label: 'Mode',
      column: 'licensing_mode',
    }),
    policyId: filter.lookup({
      label: 'Policy',
      column: 'policy_id',
      resource: 'policies',
      id: async (ctx, named) => (await policies.get(ctx, named)).id,
    }),
    keyFormatId: filter.lookup({
      label: 'Key format',
      column: 'key_format_id',
      resource: 'key-formats',
      id: async (ctx, named) => (await keyFormats.get(ctx, named)).id,
    }),
    created: filter.times({ label: 'Created', column: 'created_at' }),
    metadata: filter.pair({ label: 'Metadata', column: 'metadata' }),
  },
  search: { placeholder: 'Name or slug', by: ['name', 'slug'] },
  sorts: {
    name: 'name',
    slug: 'slug',
    status: 'status',
    type: 'type',
    created: 'created_at',
    updated: 'updated_at',
  },
  initial: 'name',
});
