import { adminResource } from '#platform/admin/index.ts';
import * as categories from './categories.ts';
import { categoryRows } from './queries.ts';
import type { Category } from './record.ts';
import { CategoryCreate, CategoryUpdate } from './schemas.ts';
import { categoryScreen } from './screen.ts';
import { StoreCategoryView, storeCategoryView } from './view.ts';

/** What products are sorted into, for staff (storefront-api.md, T). */
export const categoryResource = adminResource<Category, typeof CategoryCreate, typeof CategoryUpdate>({
  name: 'shop-categories',
  labels: { one: 'category', many: 'categories' },
  about: 'The category tree of the shop',
  needs: { read: 'products:read', write: 'products:write' },
  screen: categoryScreen,
  rows: categoryRows,
  create: { schema: CategoryCreate, run: categories.create },
  edit: { schema: CategoryUpdate, hasVersion: false, run: categories.change },
  remove: {
    level: 'moderate',
    summary: 'Remove a category; its subcategories move up',
    run: categories.remove,
  },
  apis: [
    {
      surface: 'store',
      path: '/categories',
      item: 'category',
      type: 'StoreCategory',
      view: StoreCategoryView,
      toView: storeCategoryView,
      paged: 'tree',
      under: ({ parentId }) => parentId,
      without: ['export', 'bulk'],
    },
  ],
});
