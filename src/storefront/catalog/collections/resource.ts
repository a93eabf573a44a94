import { adminResource } from '#platform/admin/index.ts';
import * as collections from './collections.ts';
import { collectionRows } from './queries.ts';
import type { Collection } from './record.ts';
import { CollectionCreate, CollectionUpdate } from './schemas.ts';
import { collectionScreen } from './screen.ts';
import { StoreCollectionView, storeCollectionView } from './view.ts';

/** Choices of products, for staff (storefront-api.md, T). */
export const collectionResource = adminResource<Collection, typeof CollectionCreate, typeof CollectionUpdate>(
  {
    name: 'shop-collections',
    labels: { one: 'collection', many: 'collections' },
    about: 'Groups of products, chosen by hand or by rules',
    needs: { read: 'products:read', write: 'products:write' },
    screen: collectionScreen,
    rows: collectionRows,
    create: { schema: CollectionCreate, run: collections.create },
    edit: { schema: CollectionUpdate, hasVersion: false, run: collections.change },
    remove: {
      level: 'moderate',
      summary: 'Remove a collection; its products stay',
      run: collections.remove,
    },
    apis: [
      {
        surface: 'store',
        path: '/collections',
        item: 'collection',
        type: 'StoreCollection',
        view: StoreCollectionView,
        toView: storeCollectionView,
        without: ['export', 'bulk'],
      },
    ],
  },
);
