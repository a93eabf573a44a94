import { capability } from '#kernel/capability.ts';
import { claimPage, overviewPage } from './account-page.ts';
import { addressPages } from './address-pages.ts';
import { accountDownloadPages } from './download-pages.ts';
import { authEndpoints } from './endpoints.shop.ts';
import { giftCardPages } from './gift-card-pages.ts';
import { linkPages } from './link-pages.ts';
import { orderPages } from './order-pages.ts';
import { ownEndpoints } from './own-endpoints.ts';
import { ownPages } from './own-pages.ts';
import { registerPage } from './register-pages.ts';
import { accountReturnPages } from './return-pages.ts';
import { secondStepPage } from './second-step-page.ts';
import { securityPages } from './security-pages.ts';
import { loginPage, logoutPage } from './sign-in-pages.ts';
import { twoFactorPage } from './two-factor-pages.ts';
import { unsubscribePage } from './unsubscribe-page.ts';

/** How customers register and sign in, and what they find in their account. */
export const shopAccountPages = capability({
  name: 'shop-account-pages',
  storeEndpoints: [...authEndpoints, ...ownEndpoints],
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
    ...ownPages,
    ...addressPages,
    ...orderPages,
    ...accountDownloadPages,
    ...giftCardPages,
    unsubscribePage,
  ],
});
