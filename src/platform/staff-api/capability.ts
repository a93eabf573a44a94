import { capability } from '#kernel/capability.ts';
import { meEndpoints } from './me-endpoints.ts';
import { signInEndpoints } from './sign-in-endpoints.ts';
import { tokenEndpoints } from './token-endpoints.ts';
import { twoFactorEndpoints } from './two-factor-endpoints.ts';
import { viewEndpoints } from './view-endpoints.ts';

/** Staff by JSON: signing in, the own account, and whose eyes one looks with. */
export const staffApi = capability({
  name: 'staff-api',
  adminEndpoints: [
    ...signInEndpoints,
    ...tokenEndpoints,
    ...meEndpoints,
    ...twoFactorEndpoints,
    ...viewEndpoints,
  ],
});
