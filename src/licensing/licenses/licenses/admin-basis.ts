import { z } from 'zod';
import { invalidField } from '#kernel/service/errors.ts';
import type { ResourceSpec } from '#platform/admin/index.ts';
import { beside } from '#platform/admin/view.ts';
import { adminLicense } from './public.ts';
import type { License } from './queries.ts';
import { StaffCreateBody, type StaffCreateInput } from './schemas.ts';
import { licenseRows } from './search/queries.ts';
import { createByStaff } from './staff-create.ts';
import { getAny } from './staff-read.ts';
import { AdminLicenseView } from './view.ts';

/** The key stands in the body or in the header. @throws AppError VALIDATION_ERROR for two that differ */
function keyedBy(input: StaffCreateInput, header: string | undefined): StaffCreateInput {
  const { idempotencyKey = header } = input;
  if (header !== undefined && idempotencyKey !== header)
    throw invalidField('idempotencyKey', `is ${idempotencyKey}, and the header Idempotency-Key ${header}`);
  return { ...input, idempotencyKey };
}

/** Licenses as they are listed and made. `license mint` needs no more, and starts the faster for it. */
export const licenseBasis: ResourceSpec<License, typeof StaffCreateBody> = {
  name: 'licenses',
  labels: { one: 'license', many: 'licenses' },
  about: 'Licenses, their changes and their keys',
  needs: { read: 'licensing:read', write: 'licensing:write' },
  rows: licenseRows,
  get: getAny,
  create: {
    schema: StaffCreateBody,
    beside: {
      key: z.string().nullable(),
      idempotent: z.boolean(),
      /** The idempotency key made the license for another body. */
      idempotentMismatch: z.boolean(),
    },
    errors: ['NOT_FOUND', 'INVALID_KEY'],
    // For as long as there is the license, whoever of the tenant sends the key (D53).
    isOnce: true,
    async run(ctx, input, { idempotencyKey }) {
      const { license, fields } = await createByStaff(ctx, keyedBy(input, idempotencyKey));
      return beside(license, fields);
    },
  },
  apis: [
    {
      surface: 'license-admin',
      path: '/licenses',
      item: 'license',
      view: AdminLicenseView,
      toView: (license, ctx) => adminLicense(ctx, license),
    },
  ],
};
