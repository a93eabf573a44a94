import { z } from 'zod';
import { storedView } from '#kernel/service/view.ts';
import { later } from '#kernel/sharing.ts';
import { LICENSE_STATUSES } from '#licensing/contract/enumerations.ts';
import { customerRecord } from './record.ts';

/** A customer as staff see it, with the licenses they hold. */
export const CustomerView = storedView(customerRecord, [
  'id',
  'email',
  'name',
  'metadata',
  'anonymizedAt',
  'createdAt',
  'updatedAt',
])
  .extend({
    licenses: z.array(
      z.object({
        id: z.string(),
        keyMasked: z.string(),
        product: z.string(),
        status: z.enum(LICENSE_STATUSES),
      }),
    ),
  })
  .meta({ id: 'Customer' });
export type CustomerView = z.output<typeof CustomerView>;

/** After a merge: who stays, and how many licenses came. */
export const CustomerMerged = CustomerView.extend({ moved: z.int() }).meta({ id: 'CustomerMerged' });

/** What an erasure of personal data came to. */
export const CustomerErased = later(() =>
  z
    .object({ id: z.string(), email: z.string(), licenses: z.int(), events: z.int() })
    .meta({ id: 'CustomerErased' }),
);
