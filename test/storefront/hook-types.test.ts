// What hooks/hooks.d.ts says of a payload is what hooks are given: the compiler reads it against the bodies of webhooks.
import { expect, it } from 'vitest';
import { storeHookPoints } from '#storefront/contract/events.ts';
import { EXAMPLE_EVENT_ID, examples } from '#storefront/tools/webhooks/examples.ts';
import { approvedBack, comingBack } from '#storefront/tools/webhooks/return-examples.ts';
import type { After, Before, Customer, Return } from '../../hooks/hooks.d.ts';

const requested: Return = comingBack;
const approved: Return = approvedBack;
const customer: Customer = {
  id: 'cst_1',
  email: 'ann@example.com',
  first_name: 'Ann',
  last_name: null,
  phone: null,
  tags: [],
};

/** Fields that a type names: whoever writes a hook completes them in an editor. */
const named: { readonly [E in keyof After]?: readonly string[] } = {
  'after:order.create': ['id', 'order_number', 'status', 'email', 'total_cents', 'addresses', 'items'],
  'after:product.created': ['id', 'title', 'slug', 'status'],
  'after:customer.created': Object.keys(customer),
  'after:return.requested': ['id', 'return_number', 'order_number', 'status', 'resolution', 'items'],
  'after:inventory.low_stock': ['variant', 'available', 'threshold'],
};

it.each(Object.entries(named))('%s: its type names fields that are told', (event, fields) => {
  const point = storeHookPoints.find(({ name }) => `after:${name}` === event);
  const [told = ''] = point?.after ?? [];
  const payload = examples[told as keyof typeof examples];
  expect(fields.filter((field) => !(field in payload))).toEqual([]);
});

it('there is a type for each point, before and after', () => {
  const before = {
    'before:order.create': true,
    'before:order.update': true,
    'before:order.shipped': true,
    'before:order.completed': true,
    'before:product.created': true,
    'before:product.updated': true,
    'before:customer.created': true,
    'before:return.requested': true,
    'before:return.approved': true,
    'before:inventory.low_stock': true,
  } satisfies Record<keyof Before, true>;
  expect(Object.keys(before)).toEqual(storeHookPoints.map(({ name }) => `before:${name}`));
  const returned: After['after:return.approved'] = { ...approved, event_id: EXAMPLE_EVENT_ID };
  expect([returned.status, requested.status]).toEqual(['approved', 'requested']);
});
