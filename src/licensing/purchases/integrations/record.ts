import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';
import { LICENSE_TIERS } from '#licensing/contract/enumerations.ts';
import { ids } from '#licensing/contract/ids.ts';
import { bounds } from '#licensing/contract/limits.ts';
import { tenantColumn } from '#platform/tenants/index.ts';
import { MAPPED_TYPES, PROCESSORS, QUANTITY_MODES, REFUND_ACTIONS } from './choices.ts';

/** Where purchases of one processor come in (licensing section 8.5). */
export const integrationRecord = record(
  'license_inbound_configs',
  {
    id: column.id(ids.integration),
    tenantId: tenantColumn(),
    /** Unique among those of the tenant that are not deleted. */
    name: column.text(100, 1),
    /** WALLET signs with certificates and is unsupported; a row of it may exist all the same (D114). */
    processor: column.choice([...PROCESSORS, 'WALLET']),
    secretEnc: column.text(4000, 1).secret(),
    previousSecretEnc: column.text(4000).nullable().secret(),
    /** SQUARE: the URL that the processor signs; null for the public URL of the endpoint (D107). */
    notificationUrl: column.text(2048).nullable(),
    enabled: column.flag(),
    /** Until when the secret before the last one is accepted too. */
    previousUntil: column.time().nullable(),
    lastEventAt: column.time().nullable(),
    deletedAt: column.time().nullable().aside(),
    createdAt: column.time(),
    updatedAt: column.time(),
  },
  { kept: 'also when deleted: its events and claims name licenses that were paid for' },
);

/** As staff sees it: without its secrets (spec "Inbound webhook configuration"). */
export type Integration = ValuesOf<typeof integrationRecord>;
export type StoredProcessor = Integration['processor'];

/** What one product of the processor is here (spec "Inbound webhook configuration and product mapping"). */
export const mappingRecord = record(
  'license_inbound_mappings',
  {
    id: column.id(ids.productMapping),
    configId: column.id(ids.integration).references('license_inbound_configs'),
    /** Product or price id at the processor. */
    externalProductId: column.text(255, 1),
    productId: column.id(ids.product).references('license_products'),
    licenseType: column.choice(MAPPED_TYPES),
    licenseTier: column.choice(LICENSE_TIERS),
    maxActivations: column.integer(bounds.maxActivations.min, bounds.maxActivations.max),
    /** Days from the first receipt (D113); null = without an end. */
    durationDays: column.integer(1).nullable(),
    /** null: that of the product. */
    policyId: column.id(ids.policy).nullable().references('license_policies'),
    quantityMode: column.choice(QUANTITY_MODES),
    onRefund: column.choice(REFUND_ACTIONS),
    createdAt: column.time(),
    updatedAt: column.time(),
  },
  { natural: ['configId', 'externalProductId'] },
);

/** A mapping with the slug of its product. */
export interface ProductMapping extends ValuesOf<typeof mappingRecord> {
  productSlug: string;
}
