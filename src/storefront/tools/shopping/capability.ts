import { capability } from '#kernel/capability.ts';
import { cartForms, cartPage, estimatePage } from './cart-page.ts';
import { checkoutPage, detailsPage } from './checkout-page.ts';
import { downloadPages } from './download-pages.ts';
import { giftCardsPage } from './gift-cards-page.ts';
import {
  cancelOrderPage,
  downloadOrderPage,
  orderInvoicePage,
  orderPage,
  payOrderPage,
} from './order-page.ts';
import {
  failedPage,
  ownDownloadPage,
  ownInvoicePage,
  ownOrderPage,
  returnPage,
  successPage,
} from './order-pages.ts';
import { payPage, payReturnPage } from './pay-page.ts';
import { guestReturnPages } from './return-pages.ts';
import { trackPage } from './track-page.ts';

/** Cart and checkout for everybody (shop-pages 2). */
export const shoppingPages = capability({
  name: 'shopping-pages',
  pages: [
    cartPage,
    estimatePage,
    ...cartForms,
    checkoutPage,
    detailsPage,
    returnPage,
    failedPage,
    successPage,
    ownOrderPage,
    ownInvoicePage,
    ownDownloadPage,
    orderPage,
    orderInvoicePage,
    cancelOrderPage,
    payOrderPage,
    downloadOrderPage,
    ...downloadPages,
    ...guestReturnPages,
    trackPage,
    payPage,
    payReturnPage,
    giftCardsPage,
  ],
});
