import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';
import {
  LICENSE_TYPES,
  LICENSING_MODES,
  PRODUCT_STATUSES,
  PRODUCT_TYPES,
} from '#licensing/contract/enumerations.ts';
import { ids } from '#licensing/contract/ids.ts';
import { bounds, STORED_DAYS } from '#licensing/contract/limits.ts';
import { tenantColumn } from '#platform/tenants/index.ts';

/** Products (licensing section 8.2). */
export const productRecord = record(
  'license_products',
  {
    id: column.id(ids.product),
    tenantId: tenantColumn(),
    name: column.text(255, 1),
    slug: column.text(63, 1),
    type: column.choice(PRODUCT_TYPES),
    status: column.choice(PRODUCT_STATUSES),
    licensingMode: column.choice(LICENSING_MODES),
    defaultLicenseType: column.choice(LICENSE_TYPES),
    defaultMaxActivations: column.integer(1, 1000),
    /** null: a license of a dated type that names no end has none. */
    defaultDurationDays: column.integer(1, STORED_DAYS).nullable(),
    policyId: column.id(ids.policy).nullable().references('license_policies'),
    keyFormatId: column.id(ids.keyFormat).nullable().references('license_key_formats'),
    prereleaseNeedsBeta: column.flag(),
    criticalUpdatesForExpired: column.flag(),
    statementRequired: column.flag(),
    metadata: column.object(bounds.metadata),
    /** Rises with every change of a release: who remembers the releases sees by it that they are old. */
    releasesVersion: column.integer(0).aside(),
    createdAt: column.time(),
    updatedAt: column.time(),
  },
  { natural: ['tenantId', 'slug'] },
);

/** A product as stored. */
export type Product = ValuesOf<typeof productRecord>;
