import { capability } from '#kernel/capability.ts';
import { noSuchPage } from '#kernel/http/mount-pages.ts';
import { page } from '#kernel/http/page.ts';
import { branded, customCssPage, iconPage } from './brand.ts';
import { categoryPage } from './category-page.ts';
import { collectionPage, collectionsPage } from './collection-page.ts';
import { contactPage } from './contact-page.ts';
import { contentPage } from './content-page.ts';
import { around, LAYOUT, shopPage } from './frame.ts';
import { giftCardBalancePage } from './gift-card-page.ts';
import { homePage, shopPath } from './home-page.ts';
import { listPage } from './list-page.ts';
import { feedPage, manifestPage, robotsPage, sitemapPage, sitemapPartPage } from './machine-pages.ts';
import { newsletterPage } from './newsletter-page.ts';
import { productPage } from './product-page.ts';
import { searchPage } from './search-page.ts';
import { securityPage } from './security-page.ts';
import { themePage } from './theme.ts';

/** What is at no other address of the shop: its own page of a missing page. */
const restPage = page({
  ...shopPage,
  path: '/shop',
  isForTheRest: true,
  title: 'Not found',
  show() {
    throw noSuchPage();
  },
});

/** The pages of the shop for everybody (shop-pages 2). */
export const shopPages = capability({
  name: 'shop-pages',
  pages: [
    shopPath,
    homePage,
    listPage,
    searchPage,
    categoryPage,
    collectionsPage,
    collectionPage,
    productPage,
    contentPage,
    contactPage,
    newsletterPage,
    giftCardBalancePage,
    securityPage,
    themePage,
    customCssPage,
    iconPage,
    robotsPage,
    sitemapPage,
    sitemapPartPage,
    feedPage,
    manifestPage,
    restPage,
  ],
  layouts: { [LAYOUT]: branded(around) },
});
