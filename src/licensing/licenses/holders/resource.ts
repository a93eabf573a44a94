import { z } from 'zod';
import { text } from '#kernel/http/fields.ts';
import * as customers from '#licensing/catalog/customers/index.ts';
import { CustomerErased, CustomerView } from '#licensing/catalog/customers/view.ts';
import { bounds } from '#licensing/contract/limits.ts';
import { action, adminResource, answering, beside } from '#platform/admin/index.ts';
import { dataOf, get, merge, withLicenses } from './holders.ts';
import { type Holder, holderRows } from './queries.ts';
import { customerScreen } from './screen.ts';
import { CustomerDataView, holderView } from './view.ts';

/** The other customer by id or address. */
const MergeBody = z
  .strictObject({ intoCustomerId: text({ min: 1, max: bounds.customerEmail }) })
  .meta({ id: 'CustomerMergeBody' });

/** Who holds licenses, for staff (licensing 4.2, Customers). */
export const customerResource = adminResource<
  Holder,
  typeof customers.CustomerCreate,
  typeof customers.CustomerUpdate
>({
  name: 'customers',
  labels: { one: 'customer', many: 'customers' },
  about: 'People who hold licenses',
  needs: { read: 'licensing:read', write: 'licensing:write' },
  screen: customerScreen,
  rows: holderRows,
  get,
  create: {
    schema: customers.CustomerCreate,
    run: async (ctx, input) => withLicenses(ctx, await customers.create(ctx, input)),
  },
  edit: {
    schema: customers.CustomerUpdate,
    run: async (ctx, id, input, how) => withLicenses(ctx, await customers.update(ctx, id, input, how)),
  },
  actions: {
    merge: action<Holder, typeof MergeBody>({
      label: 'Merge',
      summary: 'Move all licenses of a customer to another one, then delete the first',
      needs: 'licensing:write',
      level: 'moderate',
      where: 'row',
      input: MergeBody,
      beside: { moved: z.int() },
      answer: 'CustomerMergedInto',
      run: async (ctx, id, { intoCustomerId }) => {
        const { holder, moved } = await merge(ctx, id, intoCustomerId);
        return beside(holder, { moved });
      },
    }),
    anonymize: answering({
      label: 'Anonymize',
      summary: "Erase a customer's personal data; the licenses stay",
      needs: 'licensing:danger',
      level: 'severe',
      where: 'row',
      output: CustomerErased,
      errors: [],
      run: async (ctx, id) => {
        const { customer, licenses, events } = await customers.erase(ctx, id);
        return { id: customer.id, email: customer.email, licenses, events };
      },
    }),
    export: answering({
      label: 'Export the data of',
      summary: 'Export everything that is stored about a customer: licenses, machines, timelines',
      needs: 'licensing:read',
      level: 'mild',
      where: 'row',
      method: 'get',
      output: CustomerDataView,
      run: (ctx, id) => dataOf(ctx, id),
    }),
  },
  apis: [
    {
      surface: 'license-admin',
      path: '/customers',
      item: 'customer',
      view: CustomerView,
      toView: holderView,
    },
  ],
});
