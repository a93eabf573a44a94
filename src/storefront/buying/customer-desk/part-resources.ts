import type { Ctx } from '#kernel/context.ts';
import { fail } from '#kernel/service/errors.ts';
import { adminResource, type How } from '#platform/admin/index.ts';
import { orderRows, StoreOrderSummaryView, storeOrderSummaryView } from '#storefront/orders/desk/index.ts';
import type { Order } from '#storefront/orders/orders/index.ts';
import {
  addNote,
  type CustomerNote,
  customerNoteRows,
  removeNote,
} from '#storefront/people/customers/index.ts';
import { get } from './customers.ts';
import { customerNoteScreen, customerOrderScreen } from './part-screens.ts';
import { Noting } from './schemas.ts';
import { CustomerNoteView, noteView } from './view.ts';

const ofCustomer = {
  name: 'customerId',
  filter: 'customerId',
  find: async (ctx: Ctx, id: string) => (await get(ctx, id)).id,
} as const;
const customerOf = ({ named }: How): string => named.customerId ?? '';

/** The orders of a customer, for staff. */
export const customerOrderResource = adminResource<Order>({
  name: 'shop-customer-orders',
  labels: { one: 'order of a customer', many: 'orders of a customer' },
  about: 'Orders of one customer',
  needs: { read: 'orders:read' },
  screen: customerOrderScreen,
  rows: orderRows,
  apis: [
    {
      surface: 'store',
      path: '/customers/{customerId}/orders',
      parent: ofCustomer,
      item: 'order',
      type: 'StoreCustomerOrder',
      view: StoreOrderSummaryView,
      toView: storeOrderSummaryView,
      without: ['get', 'export', 'bulk'],
    },
  ],
});

/** What staff noted of a customer. */
export const customerNoteResource = adminResource<CustomerNote, typeof Noting>({
  name: 'customer-notes',
  labels: { one: 'note', many: 'notes' },
  about: 'What staff noted of a customer; the customer never sees it',
  needs: { read: 'customers:read', write: 'customers:write' },
  screen: customerNoteScreen,
  rows: customerNoteRows,
  create: {
    schema: Noting,
    summary: 'Add a note that only staff read',
    run: (ctx, { body }, how) => addNote(ctx, customerOf(how), body),
  },
  remove: {
    level: 'moderate',
    summary: 'Remove a note for good',
    run: async (ctx, id, how) => {
      const note = await customerNoteRows.find(ctx, id);
      if (note?.customerId !== customerOf(how)) throw fail('NOT_FOUND', `note ${id} does not exist`);
      await removeNote(ctx, note);
    },
  },
  apis: [
    {
      surface: 'store',
      path: '/customers/{customerId}/notes',
      parent: ofCustomer,
      item: 'note',
      type: 'CustomerNote',
      view: CustomerNoteView,
      toView: noteView,
      without: ['get', 'export', 'bulk'],
    },
  ],
});
