import { capability } from '#kernel/capability.ts';
import { cartForms, cartPage } from './cart-page.ts';
import { checkoutPage, detailsPage } from './checkout-page.ts';
import { cancelOrderPage, orderPage } from './order-page.ts';
import { failedPage, ownOrderPage, returnPage, successPage } from './order-pages.ts';
import { payPage, payReturnPage } from './pay-page.ts';
import { trackPage } from './track-page.ts';

/** Cart and checkout for everybody (shop-pages 2). */
export const shoppingPages = capability({
  name: 'shopping-pages',
  pages: [
    cartPage,
    ...cartForms,
    checkoutPage,
    detailsPage,
    returnPage,
    failedPage,
    successPage,
    ownOrderPage,
    orderPage,
    cancelOrderPage,
    trackPage,
    payPage,
    payReturnPage,
  ],
});
