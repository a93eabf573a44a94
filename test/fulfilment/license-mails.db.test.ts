// Keys in the mails of orders as they arrive, and what customers are written when a license stops working (fulfilment
// sections 6 and 8).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { maskKey } from '#licensing/catalog/key-formats/index.ts';
import { keyOf } from '#licensing/licenses/licenses/index.ts';
import { orderEvents } from '#storefront/orders/orders/index.ts';
import { type MailServer, mailWorker, openMailServer } from '../support/smtp-server.ts';
import { type LicenseShop, openLicenseShop } from './license-shop.ts';

let server: MailServer;
let shop: LicenseShop;
beforeAll(async () => {
  server = await openMailServer();
  shop = await openLicenseShop({
    pins: {
      smtp_host: '127.0.0.1',
      smtp_port: String(server.port),
      smtp_secure: 'none',
      email_from_address: 'shop@shop.example',
    },
  });
}, 120_000);
afterAll(async () => {
  await shop.app.close();
  await server.close();
});

const BUYER = 'ann@example.test';
const licenseOf = async (orderId: string): Promise<string> =>
  (await shop.mintsOf(orderId))[0]?.license_id ?? '';
/** The mails to the buyer that arrive now. */
async function arrived() {
  const before = server.to(BUYER).length;
  await mailWorker(shop.app.ctx).idle();
  return server.to(BUYER).slice(before);
}
const dispute = (id: string, how: 'opened' | 'lost') =>
  shop.app.ctx.tx((ctx) => orderEvents.tell(ctx, 'order.disputed', id, { paymentId: 'pay_1', how }));

it('the confirmation of a paid order brings the whole key, in HTML and as text', async () => {
  const { variantId } = await shop.licensed();
  const order = await shop.bought(variantId);
  const key = await keyOf(shop.app.ctx, await licenseOf(order.id));
  const [mail] = await arrived();
  expect(mail?.text).toContain(key);
  expect(mail?.html).toContain(key);
  expect(mail?.subject).not.toContain(key);
});

it('a mail to another address than the one that paid brings the beginning of the key, whenever it is sent', async () => {
  const { variantId } = await shop.licensed();
  const { id } = await shop.bought(variantId);
  const licenseId = await licenseOf(id);
  const key = await keyOf(shop.app.ctx, licenseId);
  await arrived();
  const again = () => shop.staff.data(`/orders/${id}/emails`, 'POST', { template: 'order_confirmation' });
  const other = 'other@example.test';
  await shop.staff.data(`/orders/${id}`, 'PATCH', { email: other });
  await again();
  await mailWorker(shop.app.ctx).idle();
  // Written to the other address, and sent when the order has its own again.
  await again();
  await shop.staff.data(`/orders/${id}`, 'PATCH', { email: BUYER.toUpperCase() });
  await mailWorker(shop.app.ctx).idle();
  const mails = server.to(other);
  expect(mails).toHaveLength(2);
  for (const { text, html } of mails) {
    expect(text + html).not.toContain(key);
    expect(text).toContain(maskKey(key));
    expect(html).toContain('Show your order and downloads');
  }
  await again();
  await mailWorker(shop.app.ctx).idle();
  expect(server.to(BUYER.toUpperCase()).at(-1)?.text ?? server.to(BUYER).at(-1)?.text).toContain(key);
});

it('links of mails end when the address of their order changes', async () => {
  const { variantId } = await shop.licensed();
  const { id } = await shop.bought(variantId);
  const linkIn = (text = '') => /\/shop\/order\/[\w-]+/.exec(text)?.[0] ?? '';
  const old = linkIn((await arrived()).at(-1)?.text);
  expect((await shop.app.send(old)).status).toBe(200);
  await shop.staff.data(`/orders/${id}`, 'PATCH', { internal_note: 'Called' });
  expect((await shop.app.send(old)).status).toBe(200);
  const other = 'new@example.test';
  await shop.staff.data(`/orders/${id}`, 'PATCH', { email: other });
  expect((await shop.app.send(old)).status).toBe(404);
  await shop.staff.data(`/orders/${id}/emails`, 'POST', { template: 'order_confirmation' });
  await mailWorker(shop.app.ctx).idle();
  expect((await shop.app.send(linkIn(server.to(other).at(-1)?.text))).status).toBe(200);
});

it('an order that is paid later brings it with the payment', async () => {
  const { variantId } = await shop.licensed();
  const order = await shop.bought(variantId, 1, 'offline');
  expect((await arrived()).map(({ text }) => text.includes('License key'))).toEqual([false]);
  await shop.staff.data(`/orders/${order.id}/payments`, 'POST', {
    amount_cents: order.total_cents,
    method: 'bank_transfer',
  });
  const key = await keyOf(shop.app.ctx, await licenseOf(order.id));
  const mails = await arrived();
  expect(mails.filter(({ text }) => text.includes(key)).map(({ subject }) => subject)).toEqual([
    expect.stringContaining('We received your payment'),
  ]);
});

it('a dispute that is opened and lost is told, with the reason; never the whole key', async () => {
  const { variantId } = await shop.licensed();
  const order = await shop.bought(variantId);
  const key = await keyOf(shop.app.ctx, await licenseOf(order.id));
  await arrived();
  await dispute(order.id, 'opened');
  await dispute(order.id, 'opened');
  await dispute(order.id, 'lost');
  const mails = await arrived();
  expect(mails.map(({ subject }) => subject).sort()).toEqual([
    expect.stringMatching(/was revoked$/),
    expect.stringMatching(/was suspended$/),
  ]);
  for (const { text } of mails) {
    expect(text).toContain('disputed at the bank');
    expect(text).not.toContain(key);
  }
});

it('an order that was canceled says so itself', async () => {
  const { variantId } = await shop.licensed();
  const order = await shop.bought(variantId, 1, 'offline');
  await arrived();
  await shop.staff.data(`/orders/${order.id}/cancel`, 'POST', { reason: 'nobody paid' });
  expect((await arrived()).filter(({ subject }) => /license/i.test(subject))).toEqual([]);
});
