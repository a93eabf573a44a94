import { filter } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { LICENSE_TIERS } from '#licensing/contract/enumerations.ts';
import { MAPPED_TYPES } from '../choices.ts';
import { integrationRecord, mappingRecord, type ProductMapping } from '../record.ts';
import { type NamedRow, toMapping } from './repository.ts';

/** Mappings that the actor may see. */
export const mappingRows = selection<ProductMapping, NamedRow>({
  from: ({ db }) =>
    db
      .knex(`${mappingRecord.table} as m`)
      .join('license_products as p', 'p.id', 'm.product_id')
      .join(`${integrationRecord.table} as c`, 'c.id', 'm.config_id'),
  id: 'm.id',
  scope: { tenant: 'c.tenant_id', license_product: 'm.product_id' },
  columns: ['m.*', 'p.slug'],
  read: toMapping,
  filters: {
    configId: filter.lookup({ label: 'Integration', column: 'm.config_id', resource: 'integrations' }),
    productId: products.productFilter('m.product_id'),
    licenseType: filter.choice(MAPPED_TYPES, { label: 'Type', column: 'm.license_type' }),
    licenseTier: filter.choice(LICENSE_TIERS, { label: 'Tier', column: 'm.license_tier' }),
  },
  search: { placeholder: 'Id at the processor, product', by: ['m.external_product_id', 'p.slug', 'p.name'] },
  sorts: { externalProductId: 'm.external_product_id', created: 'm.created_at', updated: 'm.updated_at' },
  initial: 'externalProductId',
});
