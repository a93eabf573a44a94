import { z } from 'zod';
import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';
import { ids } from '#storefront/contract/ids.ts';
import { MATCHES, RULE_FIELDS, RULE_OPS, type Rule } from './rule.ts';

const StoredRule: () => z.ZodType<Rule> = () =>
  z.object({
    match: z.enum(MATCHES),
    conditions: z.array(z.object({ field: z.enum(RULE_FIELDS), op: z.enum(RULE_OPS), value: z.string() })),
  });

/** Customers who have something in common: prices of their own, promotions, no tax (storefront-domain 4.3). */
export const customerGroupRecord = record(
  'customer_groups',
  {
    id: column.id(ids.customerGroup),
    name: column.text(100, 1),
    /** Who belongs to it; null: staff choose the members. */
    rule: column.json<Rule>(StoredRule).nullable(),
    priceListId: column.id(ids.priceList).references('price_lists').nullable(),
    taxExempt: column.flag(),
    createdAt: column.time(),
    updatedAt: column.time(),
  },
  { natural: ['name'] },
);
export type CustomerGroup = ValuesOf<typeof customerGroupRecord>;

/** Who is in a group. */
export const groupMemberRecord = record(
  'customer_group_members',
  {
    groupId: column.id(ids.customerGroup).references('customer_groups'),
    customerId: column.id(ids.customer).references('customers'),
    createdAt: column.time(),
  },
  { key: ['groupId', 'customerId'], whose: { ids: { customerId: 'customers' }, goes: true } },
);
export type GroupMember = ValuesOf<typeof groupMemberRecord>;
