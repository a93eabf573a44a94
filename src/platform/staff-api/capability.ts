import { capability } from '#kernel/capability.ts';
import { meEndpoints } from './me-endpoints.ts';
import { signInEndpoints } from './sign-in-endpoints.ts';
import { storeAccountEndpoints } from './store/account-endpoints.ts';
import { storeLinkEndpoints } from './store/link-endpoints.ts';
import { storeSignInEndpoints } from './store/sign-in-endpoints.ts';
import { storeTwoFactorEndpoints } from './store/two-factor-endpoints.ts';
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
  storeEndpoints: [
    ...storeSignInEndpoints,
    ...storeAccountEndpoints,
    ...storeLinkEndpoints,
    ...storeTwoFactorEndpoints,
  ],
});
