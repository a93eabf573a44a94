import { column } from '#kernel/db/column.ts';
import { customerRecord } from '#licensing/catalog/customers/index.ts';
import { keyFormatRecord } from '#licensing/catalog/key-formats/index.ts';
import { signingKeyRecord } from '#licensing/catalog/keys/index.ts';
import { policyRecord } from '#licensing/catalog/policies/index.ts';
import { productRecord } from '#licensing/catalog/products/index.ts';
import { ids } from '#licensing/contract/ids.ts';
import { activationRecord } from '#licensing/licenses/activations/index.ts';
import { licenseRecord } from '#licensing/licenses/licenses/index.ts';
import { releaseRecord } from '#licensing/releases/releases/index.ts';
import { tenantRecord } from '#platform/tenants/index.ts';
import { type Entity, entity, type Kind } from './entity.ts';

/** What the native format carries, by kind. */
export const entities: Readonly<Record<Kind, Entity>> = {
  tenant: entity('tenant', tenantRecord, {
    // Not looked for: key formats come later in the file.
    narrower: { defaultKeyFormatId: column.id(ids.keyFormat).nullable() },
  }),
  product: entity('product', productRecord),
  // Root keys only: an online key is of no use without its private part, and every server makes its own (6.1).
  signing_key: entity('signing_key', signingKeyRecord, { narrower: { role: column.choice(['ROOT']) } }),
  key_format: entity('key_format', keyFormatRecord),
  policy: entity('policy', policyRecord),
  customer: entity('customer', customerRecord),
  // Those in the trash too; without honeypots, which are no licenses. The counter comes by its own row.
  license: entity('license', licenseRecord, {
    narrower: { customerId: column.id(ids.customer) },
    fixed: { current_uses: 0, honeypot: false },
  }),
  // Live ones.
  activation: entity('activation', activationRecord, { named: { kind: 'activationKind' } }),
  // The counter of a license that has been used; its records stay behind.
  usage_total: entity('usage_total', licenseRecord, {
    only: { licenseId: 'id', tenantId: 'tenantId', currentUses: 'currentUses' },
    references: { licenseId: 'license' },
  }),
  // Metadata and hashes (6.11): the bytes of a bundle stay behind, and are sent again with `release upload`.
  release: entity('release', releaseRecord),
};
