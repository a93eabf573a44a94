import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';
import { ids } from '#licensing/contract/ids.ts';
import { tenantColumn } from '#platform/tenants/index.ts';

/** Offline tokens that were issued; the tokens themselves are not kept. */
export const offlineTokenRecord = record(
  'license_offline_tokens',
  {
    /** The claim `jti`. */
    id: column.id(ids.offlineToken),
    tenantId: tenantColumn().aside(),
    licenseId: column.id(ids.license).references('licenses'),
    activationId: column.id(ids.activation).nullable(),
    /** The claim `mid`. */
    machineDigest: column.text(255, 1),
    issuedAt: column.time(),
    expiresAt: column.time(),
    /** Kind and id of who asked, `api_key:key_…`. */
    issuedBy: column.text(255),
    createdAt: column.time().from(({ issuedAt }: { issuedAt: string }) => issuedAt),
  },
  { kept: 'as long as their license' },
);

/** The record of an issued token. Times are ISO 8601 UTC. */
export type IssuedToken = Readonly<ValuesOf<typeof offlineTokenRecord>>;
