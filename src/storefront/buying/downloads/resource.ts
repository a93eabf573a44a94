import type { z } from 'zod';
import { action, adminResource, answering } from '#platform/admin/index.ts';
import * as orders from '#storefront/orders/orders/index.ts';
import { type GrantOf, grantRows } from './queries.ts';
import { Extending, GivenView, StoreDownloadView, storeDownloadView } from './schemas.ts';
import { downloadScreen } from './screen.ts';
import { extend, giveMissing } from './staff.ts';

const needs = { read: 'orders:read', write: 'orders:write' } as const;

/** The files of an order, for staff. */
export const downloadResource = adminResource<GrantOf>({
  name: 'shop-order-downloads',
  labels: { one: 'download', many: 'downloads' },
  about: 'Files that the buyer of an order can download',
  needs,
  screen: downloadScreen,
  rows: grantRows,
  actions: {
    extend: action<GrantOf, typeof Extending>({
      needs: needs.write,
      where: 'row',
      label: 'Extend',
      summary: 'Extend a download by times or days',
      level: 'mild',
      input: Extending,
      when: ({ revokedAt, maxDownloads, expiresAt }) =>
        revokedAt === null && (maxDownloads !== null || expiresAt !== null),
      run: (ctx, id, input) => extend(ctx, id, input),
    }),
    give: answering<GrantOf, typeof GivenView>({
      needs: needs.write,
      where: 'page',
      label: 'Add missing files',
      summary: 'Add files to a paid order that were added to its variants later',
      level: 'mild',
      output: GivenView,
      run: async (ctx, _id, _input, { named }): Promise<z.output<typeof GivenView>> => ({
        given: await giveMissing(ctx, named.orderId ?? ''),
      }),
    }),
  },
  apis: [
    {
      surface: 'store',
      path: '/orders/{orderId}/downloads',
      parent: {
        name: 'orderId',
        filter: 'orderId',
        find: async (ctx, idOrNumber) => (await orders.get(ctx, idOrNumber)).id,
      },
      item: 'download',
      type: 'OrderDownload',
      view: StoreDownloadView,
      toView: storeDownloadView,
      paged: false,
      without: ['bulk', 'export'],
    },
  ],
});
