// Keys in the mails of orders as they arrive, and what customers are written when a license stops working (fulfilment
// sections 6 and 8).
import { afterAll, beforeAll, expect, it } from 'vitest';
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
