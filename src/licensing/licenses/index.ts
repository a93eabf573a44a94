import { capability } from '#kernel/capability.ts';
import { licenseEndpoints } from './endpoints.ts';
import { expireLicenses } from './expiry.ts';

export { type Created, type CreateOptions, create } from './create.ts';
export { createBulk } from './create-bulk.ts';
export {
  extend,
  type LicenseReference,
  reinstate,
  renew,
  revoke,
  type SuspendReason,
  suspend,
} from './lifecycle.ts';
export { type LicenseView, licenseView, statusOf } from './public.ts';
export {
  type ActivationView,
  type License,
  type LicenseFilter,
  listActivations,
  listAfter,
  listLicenses,
} from './queries.ts';
export { forReveal, get, getByKey, listForReveal } from './reveal.ts';
export { AdminCreateBody, type AdminCreateInput } from './schemas.ts';

export const licenses = capability({
  name: 'licenses',
  endpoints: licenseEndpoints,
  jobs: [
    {
      name: 'license-expiry',
      description: 'Persists EXPIRED and announces it once',
      everySeconds: 60,
      waitsAfterClockStep: true,
      run: expireLicenses,
    },
  ],
});
