// What is told of customers who are made and change: webhooks hear of accounts, and not of guests.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import * as webhooks from '#platform/webhooks/index.ts';
import * as customers from '#storefront/people/customers/index.ts';
import { storeWebhooks } from '#storefront/tools/webhooks/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { LOOPBACK_PINS, openReceiver, type Receiver, webhookWorker } from '../support/webhooks.ts';

let app: TestApp;
let receiver: Receiver;
beforeAll(async () => {
  app = await startApp({ pins: LOOPBACK_PINS });
  receiver = await openReceiver();
  await webhooks.create(app.ctx, storeWebhooks, { url: receiver.url, events: ['*'] });
});
afterAll(async () => {
  await receiver.close();
  await app.close();
});
beforeEach(() => {
  Object.assign(receiver, { received: [] });
});

/** What receivers were sent: the names of the events with their data. */
async function told(): Promise<[string, Record<string, unknown>][]> {
  await webhookWorker(app.ctx).idle();
  const all = receiver.received.map(({ body }): [string, Record<string, unknown>] => {
    const { event, data } = JSON.parse(body) as { event: string; data: Record<string, unknown> };
    return [event, data];
  });
  // They are sent side by side.
  return all.toSorted(([one], [other]) => one.localeCompare(other));
}

const guest = (email: string) => customers.guestOf(app.ctx, { email });
const change = (id: string, part: Parameters<typeof customers.changeCustomer>[2]) =>
  app.ctx.tx(async (ctx) => customers.changeCustomer(ctx, await customers.lockCustomer(ctx, id), part));

it('an account that is made and changes is told of with its fields, a guest is not', async () => {
  const one = await guest('eve@x.test');
  await change(one.id, { firstName: 'Eve' });
  expect(await told()).toEqual([]);
  const account = await change(one.id, { isGuest: false });
  await change(one.id, { lastName: 'Miller' });
  const [view] = await customers.storeCustomerViews([account], app.ctx);
  expect(await told()).toEqual([
    ['customer.created', { ...view, event_id: expect.any(String) }],
    [
      'customer.updated',
      { ...view, last_name: 'Miller', updated_at: expect.any(String), event_id: expect.any(String) },
    ],
  ]);
});

it('what changes nothing writes and tells nothing', async () => {
  const one = await guest('same@x.test');
  await change(one.id, { isGuest: false, firstName: 'Sam' });
  await told();
  const { result, changes } = await app.changesBy(() => change(one.id, { firstName: 'Sam' }));
  expect(result.firstName).toBe('Sam');
  expect(changes).toEqual({ events: [], rows: {} });
});

it('an address that another account has is refused, and nothing is told', async () => {
  const [one, other] = [await guest('taken@x.test'), await guest('mover@x.test')];
  await change(one.id, { isGuest: false });
  await change(other.id, { isGuest: false });
  await told();
  receiver.received.length = 0;
  await expect(change(other.id, { email: 'Taken@x.test' })).rejects.toMatchObject({
    details: { reason: 'DUPLICATE' },
  });
  expect(await told()).toEqual([]);
});

it('the timeline holds no name and no address', async () => {
  const one = await guest('quiet@x.test');
  await change(one.id, { isGuest: false });
  await change(one.id, { firstName: 'Verysecretname' });
  const rows = await app.ctx.db.knex('events').where({ subject: one.id });
  expect(rows).toHaveLength(2);
  expect(JSON.stringify(rows)).not.toMatch(/Verysecretname|quiet@x/);
});
