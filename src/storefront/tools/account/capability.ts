import { capability } from '#kernel/capability.ts';
import { overviewPage } from './account-page.ts';
import { authEndpoints } from './endpoints.shop.ts';
import { registerPage, verifyPage } from './register-pages.ts';
import { accountReturnPages } from './return-pages.ts';
import { loginPage, logoutPage } from './sign-in-pages.ts';

/** How customers register and sign in, and what they find in their account. */
export const shopAccountPages = capability({
  name: 'shop-account-pages',
  storeEndpoints: authEndpoints,
  pages: [loginPage, logoutPage, registerPage, verifyPage, overviewPage, ...accountReturnPages],
});
