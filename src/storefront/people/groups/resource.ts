import { z } from 'zod';
import { count } from '#kernel/http/fields.ts';
import { adminResource, answering } from '#platform/admin/index.ts';
import * as groups from './groups.ts';
import { groupRows } from './queries.ts';
import type { CustomerGroup } from './record.ts';
import { GroupCreate, GroupUpdate, MembersChange } from './schemas.ts';
import { customerGroupScreen } from './screen.ts';
import { changeMembers } from './settling.ts';
import { CustomerGroupView, groupViews } from './view.ts';

const needs = { read: 'customers:read', write: 'customers:write' } as const;
const Counted = z.object({ count: count() }).meta({ id: 'CustomerGroupMembers' });

/** Groups of customers, for staff (storefront-api.md, X). */
export const customerGroupResource = adminResource<CustomerGroup, typeof GroupCreate, typeof GroupUpdate>({
  name: 'customer-groups',
  labels: { one: 'customer group', many: 'customer groups' },
  about: 'Customer groups with their prices, tax and members',
  needs,
  screen: customerGroupScreen,
  rows: groupRows,
  create: { schema: GroupCreate, run: groups.create },
  edit: { schema: GroupUpdate, hasVersion: false, run: groups.change },
  remove: {
    level: 'severe',
    summary: 'Remove a customer group; its members lose its prices and tax exemption',
    run: groups.remove,
  },
  actions: {
    members: answering<CustomerGroup, typeof Counted, typeof MembersChange>({
      label: 'Change members',
      summary: 'Add customers to a group without a rule, or remove them',
      needs: needs.write,
      level: 'mild',
      where: 'row',
      method: 'put',
      input: MembersChange,
      output: Counted,
      when: ({ rule }) => rule === null,
      run: (ctx, id, input) => changeMembers(ctx, id, input),
    }),
  },
  palette: { title: ({ name }) => name },
  apis: [
    {
      surface: 'store',
      path: '/customer-groups',
      item: 'customerGroup',
      type: 'CustomerGroup',
      view: CustomerGroupView,
      toViews: groupViews,
      paged: false,
      without: ['export', 'bulk'],
    },
  ],
});
