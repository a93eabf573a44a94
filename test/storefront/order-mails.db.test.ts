// What customers are written about their orders after they were placed, and what staff send again (storefront-domain 14).
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { emailsOf, type MailServer, mailWorker, openMailServer } from '../support/smtp-server.ts';
import { type OrderShop, openOrderShop, toldOf } from './order-shop.ts';
import { storeClient } from './store-client.ts';

let server: MailServer;
let shop: OrderShop;
beforeAll(async () => {
  server = await openMailServer();
  shop = await openOrderShop({
    pins: {
      smtp_host: '127.0.0.1',
      smtp_port: String(server.port),
      smtp_secure: 'none',
      email_from_address: 'shop@shop.example',
      store_name: 'The Shop',
    },
  });
});
afterAll(async () => {
  await shop.app.close();
  await server.close();
});

let buyers = 0;
let buyer = '';
beforeEach(() => {
  buyers += 1;
  buyer = `buyer${buyers}@mail.example`;
});

/** An order, with its confirmation sent: mails that wait together arrive in any order. */
async function placed(quantity: number, processor: 'fake' | 'offline' = 'fake') {
  const order = await shop.placed(await shop.stocked(5), quantity, processor, { email: buyer });
  await mailWorker(shop.app.ctx).idle();
  return order;
}
/** Subjects of the mails that have arrived at the buyer, in order. */
async function subjects(): Promise<string[]> {
  await mailWorker(shop.app.ctx).idle();
  return server.to(buyer).map(({ subject }) => subject);
}
const last = () => server.to(buyer).at(-1);

it('tells what has left, with carrier and tracking, once for each parcel', async () => {
  const order = await placed(3);
  const item = order.items[0]?.id;
  const path = `/orders/${order.id}/shipments`;
  await shop.staff.data(path, 'POST', {
    items: [{ order_item_id: item, quantity: 2 }],
    carrier: 'UPS <Express>',
    tracking_number: '1Z999',
    tracking_url: 'https://carrier.example/1Z999?a=1&b=2',
    ship_now: true,
  });
  const subject = `Your order ${order.order_number} is on its way`;
  expect(await subjects()).toEqual([expect.stringContaining('Your order'), subject]);
  for (const said of ['2 × ', 'Carrier: UPS <Express>', 'Tracking number: 1Z999', '/1Z999?a=1&b=2'])
    expect(last()?.text).toContain(said);
  expect(last()?.html).toContain('UPS &lt;Express&gt;');
  expect(last()?.html).toContain('href="https://carrier.example/1Z999?a=1&amp;b=2"');
  const rest = await shop.staff.data(path, 'POST', {});
  expect(await subjects()).toHaveLength(2);
  await shop.staff.data(`/shipments/${rest.id}/ship`, 'POST', {});
  expect(await subjects()).toHaveLength(3);
  expect(last()?.text).toContain('1 × ');
  expect(last()?.text).not.toMatch(/Carrier|Tracking|Track/);
});

it('tells of a delivered parcel once staff have switched that on', async () => {
  const deliver = async () => {
    const order = await placed(1);
    const path = `/orders/${order.id}/shipments`;
    const { id } = await shop.staff.data(path, 'POST', { ship_now: true });
    await shop.staff.data(`/shipments/${id}/deliver`, 'POST', {});
    return order;
  };
  await deliver();
  expect(await subjects()).toHaveLength(2);
  const at = '/email-templates/shipment_delivered';
  const { subject, body_html, enabled } = await shop.staff.data(at);
  expect(enabled).toBe(false);
  await shop.staff.data(at, 'PUT', { subject, body_html, enabled: true });
  const order = await deliver();
  const arrived = `Your order ${order.order_number} has arrived`;
  expect((await subjects()).filter((one) => one === arrived)).toHaveLength(1);
  expect(last()?.text).toContain('/shop/order/');
});

it('speaks the language of the order', async () => {
  const order = await placed(1);
  await shop.app.ctx.tx(({ db: { knex } }) =>
    knex('orders').where({ id: order.id }).update({ locale: 'de' }),
  );
  await shop.staff.data(`/orders/${order.id}/shipments`, 'POST', { carrier: 'DHL', ship_now: true });
  expect(await subjects()).toContain(`Ihre Bestellung ${order.order_number} ist unterwegs`);
  expect(last()?.text).toContain('Versanddienst: DHL');
});

it('writes nothing where staff say so: of a parcel, a refund, a cancellation', async () => {
  const shipped = await placed(2);
  const { id: item } = shipped.items[0] ?? { id: '' };
  const part = { items: [{ order_item_id: item, quantity: 1 }] };
  await shop.staff.data(`/orders/${shipped.id}/shipments`, 'POST', {
    ...part,
    ship_now: true,
    notify: false,
  });
  const rest = await shop.staff.data(`/orders/${shipped.id}/shipments`, 'POST', {});
  await shop.staff.data(`/shipments/${rest.id}/ship`, 'POST', { notify: false });
  await shop.staff.data(`/orders/${shipped.id}/refunds`, 'POST', {
    adjustment_cents: 100,
    reason: 'A scratch',
    notify: false,
  });
  const cancelled = await placed(1);
  await shop.staff.data(`/orders/${cancelled.id}/cancel`, 'POST', {
    reason: 'Asked',
    refund: 'full',
    notify: false,
  });
  expect(await subjects()).toEqual([
    `Your order ${shipped.order_number} at The Shop`,
    `Your order ${cancelled.order_number} at The Shop`,
  ]);
  const told = await placed(1);
  await shop.staff.data(`/orders/${told.id}/cancel`, 'POST', { reason: 'Asked', refund: 'full' });
  expect((await subjects()).slice(2).toSorted()).toEqual([
    `Order ${told.order_number} was canceled`,
    `Refund for order ${told.order_number}`,
    `Your order ${told.order_number} at The Shop`,
  ]);
});

it('is sent again by staff, as the order is then, and each time anew', async () => {
  const order = await placed(2);
  const path = `/orders/${order.id}`;
  const again = (template: string) => shop.staff.send(`${path}/emails`, 'POST', { template });
  expect(await subjects()).toHaveLength(1);
  const { result, changes } = await shop.app.changesBy(() => again('order_confirmation'));
  const { email_log_id: id } = result.body.data as unknown as { email_log_id: string };
  expect([result.status, toldOf(changes.events), changes.rows]).toEqual([
    200,
    ['order.emailed'],
    expect.objectContaining({ email_log: '+1', order_events: '+1' }),
  ]);
  expect(await shop.staff.data(`/email-log/${id}`)).toMatchObject({
    template: 'order_confirmation',
    to: buyer,
  });
  await again('order_confirmation');
  expect(await subjects()).toHaveLength(3);
  const history = await shop.staff.send(`${path}/events?type=email`);
  expect((history.body.data as unknown as { data: object }[]).map(({ data }) => data)).toEqual([
    { template: 'order_confirmation' },
    { template: 'order_confirmation' },
  ]);
});

it('is not sent again for what has not happened, and then for the last that has', async () => {
  const order = await placed(2, 'offline');
  const path = `/orders/${order.id}`;
  const later = ['payment_received', 'shipment_notification', 'refund_issued', 'order_cancelled'];
  const { changes } = await shop.app.changesBy(async () => {
    for (const template of later)
      expect(await shop.staff.refusal(`${path}/emails`, 'POST', { template })).toEqual([
        400,
        'VALIDATION_ERROR',
        'INVALID_TRANSITION',
      ]);
  });
  expect([changes.events, changes.rows]).toEqual([[], {}]);
  expect((await shop.staff.send(`${path}/emails`, 'POST', { template: 'refund_issued' })).body.error).toBe(
    `order ${order.order_number} has no refund issued email: nothing was refunded`,
  );
  await shop.staff.data(`${path}/payments`, 'POST', { amount_cents: 4300, method: 'cash' });
  await shop.staff.data(`${path}/shipments`, 'POST', { carrier: 'UPS', ship_now: true });
  for (const cents of [100, 200])
    await shop.staff.data(`${path}/refunds`, 'POST', { adjustment_cents: cents, reason: 'A scratch' });
  const before = await subjects();
  for (const template of later.slice(0, 3)) await shop.staff.data(`${path}/emails`, 'POST', { template });
  expect((await subjects()).length).toBe(before.length + 3);
  const texts = server
    .to(buyer)
    .slice(-3)
    .map(({ text }) => text)
    .join('\n');
  for (const said of ['$43.00', 'Carrier: UPS', 'You get $2.00 back']) expect(texts).toContain(said);
});

it('says of money that staff pay back by hand that they do, and of a card that the bank does', async () => {
  const order = await placed(1, 'offline');
  const path = `/orders/${order.id}`;
  await shop.staff.data(`${path}/payments`, 'POST', { amount_cents: 2400, method: 'bank_transfer' });
  await subjects();
  await shop.staff.data(`${path}/refunds`, 'POST', { adjustment_cents: 2400, reason: 'A scratch' });
  await subjects();
  expect(last()?.text).toContain('The shop pays it back to you itself');
  expect(last()?.text).not.toMatch(/on its way|bank, it arrives/);
  await shop.staff.data(`${path}/emails`, 'POST', { template: 'refund_issued' });
  await subjects();
  expect(last()?.text).toContain('The shop pays it back to you itself');
  const events = (await shop.staff.send(`${path}/events?type=refund`)).body.data as unknown as object[];
  expect(events).toContainEqual(
    expect.objectContaining({ data: expect.objectContaining({ way: 'by_hand' }) }),
  );
  const carded = await placed(1);
  await shop.staff.data(`/orders/${carded.id}/refunds`, 'POST', {
    adjustment_cents: 100,
    reason: 'A scratch',
  });
  await subjects();
  expect(last()?.text).toContain('Depending on your bank, it arrives within a few days.');
});

it('does not ask for money any more once it has come, though the email waited', async () => {
  await shop.staff.data('/settings', 'PATCH', { offline_instructions: 'IBAN DE00 1234' });
  const order = await shop.placed(await shop.stocked(5), 1, 'offline', { email: buyer });
  const path = `/orders/${order.id}`;
  await shop.staff.data(`${path}/payment-link`, 'POST', {});
  const { url } = (await shop.staff.data(`${path}/payment-link`, 'POST', {})) as unknown as { url: string };
  await subjects();
  const mails = () => server.to(buyer).map(({ text }) => text);
  expect(mails().filter((text) => text.includes('/shop/pay/'))).toEqual([expect.stringContaining(url)]);
  expect(mails().filter((text) => text.includes('IBAN DE00 1234'))).toHaveLength(1);
  buyers += 1;
  buyer = `buyer${buyers}@mail.example`;
  const second = await shop.placed(await shop.stocked(5), 1, 'offline', { email: buyer });
  await shop.staff.data(`/orders/${second.id}/payment-link`, 'POST', {});
  await shop.staff.data(`/orders/${second.id}/payments`, 'POST', { amount_cents: 2400, method: 'cash' });
  await subjects();
  expect(mails().filter((text) => text.includes('/shop/pay/') || text.includes('How to pay'))).toEqual([]);
  expect(mails()).toHaveLength(2);
  const held = (await emailsOf(shop.app.ctx)).filter(({ status }) => status === 'suppressed');
  expect(held.map(({ template, error }) => [template, error])).toEqual(
    expect.arrayContaining([
      ['payment_link', 'not sent: the link was replaced or has ended'],
      ['payment_link', 'not sent: nothing is due for the order any more'],
    ]),
  );
});

it('is refused for nonsense, for unknown and unplaced orders, and for who may not change orders', async () => {
  const order = await placed(1);
  const unplaced = await shop.placed(await shop.stocked(1), 1, 'fake', { source_id: 'needs_action' });
  const viewer = await storeClient(shop.app, 'viewer');
  const sent = { template: 'order_confirmation' };
  const { changes } = await shop.app.changesBy(async () => {
    const refused = (path: string, body: object) => shop.staff.refusal(path, 'POST', body);
    expect((await refused(`/orders/${order.id}/emails`, {}))[0]).toBe(400);
    expect((await refused(`/orders/${order.id}/emails`, { template: 'password_reset' }))[0]).toBe(400);
    expect((await refused('/orders/999999/emails', sent))[0]).toBe(404);
    expect(await refused(`/orders/${unplaced.id}/emails`, sent)).toEqual([
      400,
      'VALIDATION_ERROR',
      'INVALID_TRANSITION',
    ]);
    expect((await viewer.refusal(`/orders/${order.id}/emails`, 'POST', sent))[0]).toBe(403);
  });
  expect(Object.keys(changes.rows).filter((table) => !table.startsWith('limit'))).toEqual([]);
  expect((await emailsOf(shop.app.ctx)).filter(({ to_address: to }) => to === buyer)).toHaveLength(1);
});
