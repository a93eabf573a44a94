import { column } from '#kernel/db/column.ts';
import { record } from '#kernel/db/record.ts';
import { ids } from '#licensing/contract/ids.ts';
import { tenantColumn } from '#platform/tenants/index.ts';

/** Root keys of releases and online keys of a product (licensing section 8.2). Private halves are sealed. */
export const signingKeyRecord = record(
  'license_signing_keys',
  {
    id: column.id(ids.signingKey),
    tenantId: tenantColumn(),
    productId: column.id(ids.product).references('license_products'),
    role: column.choice(['ROOT', 'ONLINE']),
    keyId: column.text(16, 16),
    publicKey: column.text(44, 44),
    privateKey: column.text(4000).nullable().secret(),
    status: column.choice(['ACTIVE', 'NEXT', 'RETIRED']),
    label: column.text(100).nullable(),
    /** When a NEXT key takes over; null for one that waits to be activated by hand. */
    activateAt: column.time().nullable().addedLater(),
    /** What the key before signed about this one: `continuity/<P>.<S>`. */
    continuity: column.text(4000).nullable().addedLater(),
    /** Id that minisign gave to an imported key, 16 upper-case hex characters. */
    minisignId: column.text(16).nullable().addedLater(),
    /** Of an online key, which never leaves its server. */
    delegation: column.text(4000).nullable().local(),
    delegationExpiresAt: column.time().nullable().local(),
    retiredAt: column.time().nullable(),
    createdAt: column.time(),
    updatedAt: column.time(),
  },
  { natural: ['productId', 'keyId'] },
);
