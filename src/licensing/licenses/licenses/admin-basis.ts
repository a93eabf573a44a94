import { z } from 'zod';
import { beside, type ResourceSpec } from '#platform/admin/index.ts';
import { adminLicense } from './public.ts';
import type { License } from './queries.ts';
import { StaffCreateBody } from './schemas.ts';
import { licenseRows } from './search/queries.ts';
import { createByStaff } from './staff-create.ts';
import { getAny } from './staff-read.ts';
import { AdminLicenseView } from './view.ts';

/** Licenses as they are listed and made. `license mint` needs no more, and starts the faster for it. */
export const licenseBasis: ResourceSpec<License, typeof StaffCreateBody> = {
  name: 'licenses',
  labels: { one: 'license', many: 'licenses' },
  about: 'Licenses, what becomes of them, their keys',
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
    async run(ctx, input) {
      const { license, fields } = await createByStaff(ctx, input);
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
