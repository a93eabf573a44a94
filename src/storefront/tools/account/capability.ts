import { capability } from '#kernel/capability.ts';
import { claimPage, overviewPage } from './account-page.ts';
import { authEndpoints } from './endpoints.shop.ts';
import { linkPages } from './link-pages.ts';
import { registerPage } from './register-pages.ts';
import { accountReturnPages } from './return-pages.ts';
import { secondStepPage } from './second-step-page.ts';
import { securityPages } from './security-pages.ts';
import { loginPage, logoutPage } from './sign-in-pages.ts';
import { twoFactorPage } from './two-factor-pages.ts';

/** How customers register and sign in, and what they find in their account. */
export const shopAccountPages = capability({
  name: 'shop-account-pages',
  storeEndpoints: authEndpoints,
  pages: [
    loginPage,
    secondStepPage,
    logoutPage,
    registerPage,
    ...linkPages,
    overviewPage,
    claimPage,
    ...securityPages,
    twoFactorPage,
    ...accountReturnPages,
  ],
});
