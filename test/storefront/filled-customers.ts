// Customers, notes and groups in a shop that has orders.
import type { storeClient } from './store-client.ts';

type Client = Awaited<ReturnType<typeof storeClient>>;

/** A guest with orders and a note, an account in a group, and a group with a rule. @returns id of the guest */
export async function fillCustomers(client: Client): Promise<string> {
  const [guest] = (await client.send('/customers?orders_min=1&sort=created')).body.data as unknown as [
    { id: string },
  ];
  await client.data(`/customers/${guest.id}/notes`, 'POST', { body: 'Wants to be called before delivery' });
  const group = await client.data('/customer-groups', 'POST', { name: 'Resellers', tax_exempt: true });
  await client.data('/customer-groups', 'POST', {
    name: 'Regulars',
    rule: { match: 'any', conditions: [{ field: 'order_count', op: 'at_least', value: '1' }] },
  });
  await client.data('/customers', 'POST', {
    email: 'zoe@example.test',
    first_name: 'Zoe',
    tags: ['wholesale'],
    group_ids: [group.id],
  });
  return guest.id;
}

/** Pages about a customer that no list leads to. */
export const customerDesk = (id: string): string[] => [
  '/store/customers/import',
  ...['', '/edit', '/merge', '/notes', '/notes/new', '/orders', '?tab=orders', '?tab=notes'].map(
    (rest) => `/store/customers/${id}${rest}`,
  ),
];
