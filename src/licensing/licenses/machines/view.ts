import { z } from 'zod';
import { Pagination } from '#kernel/service/pagination.ts';
import { storedView } from '#kernel/service/view.ts';
import { later } from '#kernel/sharing.ts';
import { activationRecord } from '../activations/index.ts';

/** A machine of a license, live or not (licensing 4.3, AdminActivation). */
export const AdminActivationView = storedView(activationRecord, [
  'id',
  'licenseId',
  'kind',
  'machineId',
  'machineName',
  'osName',
  'osVersion',
  'appVersion',
  'metadata',
  'activatedAt',
  'lastSeenAt',
  'leaseExpiresAt',
  'endedAt',
  'endReason',
])
  .extend({
    /** It was not seen for longer than its policy bears; false without heartbeats. */
    stale: z.boolean(),
    keyPrefix: z.string(),
    productId: z.string(),
    productSlug: z.string(),
  })
  .meta({ id: 'AdminActivation' });
export type AdminActivation = z.output<typeof AdminActivationView>;

export const ActivationsOfLicense = z
  .object({ items: z.array(AdminActivationView), pagination: Pagination })
  .meta({ id: 'ActivationsOfLicense' });

/** Machines that were freed. */
export const Cleared = later(() =>
  z
    .object({
      machines: z.array(
        z.object({ id: z.string(), machineId: z.string(), machineName: z.string().nullable() }),
      ),
    })
    .meta({ id: 'ActivationsCleared' }),
);
