import { z } from 'zod';
import { scopeOf } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { shownBy, storedView } from '#kernel/service/view.ts';
import { later } from '#kernel/sharing.ts';
import { CustomerView } from '#licensing/catalog/customers/view.ts';
import { activationRecord } from '../activations/index.ts';
import { licenseView } from '../licenses/index.ts';
import { LicenseView, TimelineEventView } from '../licenses/view.ts';
import type { Holder } from './queries.ts';

/** A customer; whoever is confined to products reads of them what a sale needs (admin.md 6.3). */
export const holderView = (holder: Holder, ctx: Ctx): CustomerView =>
  shownBy(CustomerView, {
    ...holder,
    metadata: scopeOf(ctx.actor, 'license_product') ? {} : holder.metadata,
    licenses: holder.licenses.map((license) => {
      const { id, keyMasked, productSlug: product, status } = licenseView(ctx, license);
      return { id, keyMasked, product, status };
    }),
  });

const Machine = storedView(activationRecord, [
  'id',
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
]);

/** Everything that is stored about one customer, for the customer; keys are masked. */
export const CustomerDataView = later(() =>
  z
    .object({
      customer: CustomerView.omit({ licenses: true }),
      /** Those in the trash, too. */
      licenses: z.array(
        LicenseView.omit({ key: true, activations: true }).extend({
          machines: z.array(Machine),
          /** Oldest first. */
          events: z.array(TimelineEventView),
        }),
      ),
    })
    .meta({ id: 'CustomerData' }),
);
export type CustomerData = z.output<typeof CustomerDataView>;

/** A machine as the data of its customer show it. */
export const machineData = (machine: z.output<typeof Machine>): z.output<typeof Machine> =>
  shownBy(Machine, machine);
