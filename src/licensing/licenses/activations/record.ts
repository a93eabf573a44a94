import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';
import { ACTIVATION_KINDS, END_REASONS } from '#licensing/contract/enumerations.ts';
import { ids } from '#licensing/contract/ids.ts';
import { bounds } from '#licensing/contract/limits.ts';
import { tenantColumn } from '#platform/tenants/index.ts';

/** Machines of licenses, those that have ended too (licensing section 8.3). */
export const activationRecord = record(
  'license_activations',
  {
    id: column.id(ids.activation),
    tenantId: tenantColumn(),
    licenseId: column.id(ids.license).references('licenses'),
    kind: column.choice(ACTIVATION_KINDS),
    machineId: column.text(bounds.machineId.max, bounds.machineId.min),
    /** People call machines after themselves. */
    machineName: column.text(bounds.machineName).nullable().personal(),
    osName: column.text(bounds.osName).nullable(),
    osVersion: column.text(bounds.osVersion).nullable(),
    appVersion: column.text(bounds.appVersion).nullable(),
    /** What a checkout attached (D51). */
    metadata: column.object(bounds.metadata).nullable(),
    activatedAt: column.time(),
    lastSeenAt: column.time(),
    leaseExpiresAt: column.time().nullable(),
    lapseNotifiedAt: column.time().nullable(),
    endedAt: column.time().nullable().local(),
    endReason: column.choice(END_REASONS).nullable().local(),
    createdAt: column.time().from(({ activatedAt }: { activatedAt: string }) => activatedAt),
  },
  {
    kept: 'until days after their end that a setting names; those that count as churn as long as it is counted',
    contradiction: ({ kind, leaseExpiresAt }) =>
      (kind === 'LEASE') === (leaseExpiresAt !== null) ? null : 'leaseExpiresAt belongs to a LEASE',
  },
);

type Stored = ValuesOf<typeof activationRecord>;

/** An activation as requests see it; times are ISO 8601 UTC. */
export type Activation = Omit<Stored, 'tenantId' | 'lapseNotifiedAt' | 'endedAt' | 'endReason'>;
