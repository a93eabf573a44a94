// Orders of the shop that fills every list of staff.
import { Readable } from 'node:stream';
import { ids } from '#storefront/contract/ids.ts';
import { insertSchedule } from '#storefront/tools/reports/schedules/repository.ts';
import { uploadFile } from '../../src/storefront/catalog/digital-files/digital-files.ts';
import type { TestApp } from '../support/app.ts';
import { ANN, newShopper, type PlacedShown } from './shopper.ts';
import type { storeClient } from './store-client.ts';

type Client = Awaited<ReturnType<typeof storeClient>>;

/** An order that was paid by check and refunded in part, and what a processor has said of it. @returns its id */
export async function fillOrders(
  app: TestApp,
  client: Client,
  variantId: string,
  methodId: string,
): Promise<string> {
  await client.data('/settings', 'PATCH', { payment_processor: 'offline' });
  const source = Readable.from([Buffer.from('How to wash it')]);
  const terms = { maxDownloads: 3, expiresDays: 365 };
  await uploadFile(app.ctx, variantId, { source, fileName: 'How to wash your new stoneware mug.pdf' }, terms);
  const { id: license } = await app.product({ defaultMaxActivations: 2 });
  const grant = { license_product_id: license, type: 'PERPETUAL', tier: 'PERSONAL' };
  await client.data(`/variants/${variantId}/license-grant`, 'PUT', grant);
  const shopper = await newShopper(app);
  await shopper.data('/cart/add', { variant_id: variantId, quantity: 2 });
  const { order } = await shopper.data<PlacedShown>('/checkout', {
    email: 'ann@example.test',
    shipping_address: { ...ANN, city: 'Beverly Hills', state: 'CA', postal_code: '90210' },
    shipping_method_id: methodId,
    processor: 'offline',
  });
  const { id: payment } = await client.data(`/orders/${order.id}/payments`, 'POST', {
    amount_cents: order.total_cents,
    method: 'check',
  });
  await client.data(`/orders/${order.id}/refunds`, 'POST', { adjustment_cents: 100, reason: 'A scratch' });
  await client.data(`/orders/${order.id}/shipments`, 'POST', { carrier: 'UPS', ship_now: true });
  const at = app.ctx.now();
  const report = {
    id: app.ctx.newId('pev'),
    processor: 'stripe',
    processor_event_id: 'evt_1',
    type: 'payment.failed',
    body_sha256: '0'.repeat(64),
    body: '{}',
    status: 'failed',
    payment_id: payment,
    attempts: 5,
    error: 'It could not be handled.',
    created_at: at,
    updated_at: at,
  };
  await app.ctx.tx((ctx) => ctx.db.knex('processor_events').insert(report));
  return order.id;
}

/** One unit of an order has come back and the other one is awaited. @returns ids and numbers */
export async function fillReturns(client: Client, orderId: string) {
  const [item] = (await client.data(`/orders/${orderId}`)).items as [{ id: string }];
  const reason_id = `rrs_${'1'.padStart(26, '0')}`;
  const asked = () =>
    client.data('/returns', 'POST', {
      order_id: orderId,
      items: [{ order_item_id: item.id, quantity: 1, reason_id, note: 'A crack in the handle' }],
      approve: true,
    });
  const received = await asked();
  await client.data(`/returns/${received.id}/messages`, 'POST', { body: 'Is the box whole?' });
  await client.data(`/returns/${received.id}/messages`, 'POST', { body: 'Third time', internal: true });
  const [{ id }] = received.items as [{ id: string }];
  const items = [{ id, received_quantity: 1, condition: 'damaged' }];
  await client.data(`/returns/${received.id}/receive`, 'POST', { items });
  const awaited = await asked();
  return { received: received.id, awaited: awaited.id, number: String(awaited.return_number) };
}

/** A draft of staff, and an order that waits for the money of its link. @returns ids of both, and the path of the link */
export async function fillStaffOrders(client: Client, variantId: string) {
  const body = {
    email: 'bea@example.test',
    shipping_address: ANN,
    shipping_cents: 500,
    items: [{ variant_id: variantId, quantity: 1 }],
  };
  const draft = await client.data('/orders', 'POST', { ...body, draft: true });
  const waiting = await client.data('/orders', 'POST', { ...body, send_payment_link: true });
  const { url } = await client.data(`/orders/${waiting.id}/payment-link`, 'POST', {});
  return { draft: draft.id, waiting: waiting.id, payPath: new URL(String(url)).pathname };
}

/** A report by email to somebody who is not of staff any more. */
export const fillReports = ({ ctx }: TestApp): Promise<void> =>
  ctx.tx((ctx) =>
    insertSchedule(ctx, {
      id: ctx.newId(ids.reportSchedule),
      report: 'sales',
      every: 'week',
      hour: 7,
      compare: 'previous',
      recipients: ['gone'],
      isOn: true,
      createdBy: null,
      nextAt: '2031-03-03T07:00:00.000Z',
      sentAt: null,
      createdAt: ctx.now(),
      updatedAt: ctx.now(),
    }),
  );

/** Pages about licenses that no list leads to. */
export const licensePages = ({ id, variants }: Record<string, unknown>, order: string): string[] => {
  const [first] = variants as { id: string }[];
  const path = `/store/products/${id}/license`;
  return [path, `${path}?variant=${first?.id}`, `/store/orders/${order}/licenses`];
};
