// Customers, notes and groups in a shop that has orders.
import { EMPTY_SESSION } from '#kernel/http/session-keeper.ts';
import { sessionKeeper } from '#platform/sessions/index.ts';
import type { TestApp } from '../support/app.ts';
import type { storeClient } from './store-client.ts';

type Client = Awaited<ReturnType<typeof storeClient>>;

/** A guest with orders, a note, an address, a consent and a session, an account in a group, and a group with a rule. @returns id of the guest */
export async function fillCustomers(app: TestApp, client: Client): Promise<string> {
  const [guest] = (await client.send('/customers?orders_min=1&sort=created')).body.data as unknown as [
    { id: string },
  ];
  await client.data(`/customers/${guest.id}/notes`, 'POST', { body: 'Wants to be called before delivery' });
  await client.data(`/customers/${guest.id}/addresses`, 'POST', {
    label: 'Office',
    last_name: 'Miller',
    line1: '1 Main Street',
    city: 'Springfield',
    state: 'IL',
    postal_code: '62701',
    country: 'US',
  });
  await client.data(`/customers/${guest.id}`, 'PATCH', { accepts_marketing: true });
  const customer = { id: guest.id, generation: 0, isPending: false, isRemembered: true };
  await sessionKeeper.insert(app.ctx, 'a'.repeat(64), 'user', { ...EMPTY_SESSION, customer });
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
  ...['', '/edit', '/merge', '/notes', '/notes/new', '/orders', '/addresses', '/addresses/new'].map(
    (rest) => `/store/customers/${id}${rest}`,
  ),
  ...['orders', 'notes', 'returns', 'addresses', 'sessions', 'consents'].map(
    (tab) => `/store/customers/${id}?tab=${tab}`,
  ),
];
