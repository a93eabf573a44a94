import { adminResource } from '#platform/admin/index.ts';
import * as content from './content.ts';
import { pageRows } from './queries.ts';
import type { ContentPage } from './record.ts';
import { PageCreate, PageUpdate } from './schemas.ts';
import { pageScreen } from './screen.ts';
import { StorePageView, storePageView } from './view.ts';

/** Pages that staff write (storefront-api.md, T). */
export const pageResource = adminResource<ContentPage, typeof PageCreate, typeof PageUpdate>({
  name: 'shop-pages',
  labels: { one: 'page', many: 'pages' },
  about: 'Pages written by staff, such as terms and privacy',
  needs: {
    read: 'content:read',
    write: 'content:write',
    orRead: 'settings:read',
    orWrite: 'settings:write',
  },
  screen: pageScreen,
  rows: pageRows,
  create: { schema: PageCreate, run: content.create },
  edit: { schema: PageUpdate, hasVersion: false, run: content.change },
  remove: {
    level: 'moderate',
    summary: 'Remove a page and its text',
    run: content.remove,
  },
  apis: [
    {
      surface: 'store',
      path: '/pages',
      item: 'page',
      type: 'StorePage',
      view: StorePageView,
      toView: storePageView,
      without: ['export', 'bulk'],
    },
  ],
});
