// Webhooks of the shop in the panel: made, tested, followed and ended by forms without a script.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { member, rowsOf, textOf } from '../platform/panel/staff.ts';
import { startApp, type TestApp } from '../support/app.ts';
import type { Browser } from '../support/browser.ts';
import {
  insertWebhook,
  LOOPBACK_PINS,
  openReceiver,
  type Receiver,
  webhookWorker,
} from '../support/webhooks.ts';
import { mug, storeClient } from './store-client.ts';

const LIST = '/store/settings/webhooks';
const DELIVERIES = '/store/settings/webhook-deliveries';

let app: TestApp;
let receiver: Receiver;
let client: Awaited<ReturnType<typeof storeClient>>;
let browser: Browser;
beforeAll(async () => {
  app = await startApp({ pins: LOOPBACK_PINS });
  receiver = await openReceiver();
  client = await storeClient(app);
  ({ browser } = await member(app));
});
afterAll(async () => {
  await receiver.close();
  await app.close();
});

const rows = async (path: string) => rowsOf((await browser.open(path)).text).map((row) => row.join(' '));

it('is made by a form, which shows its secret once and keeps what was refused', async () => {
  const refused = await browser.submit(`${LIST}/new`, {
    url: 'https://10.0.0.1/',
    events: 'product.created',
  });
  expect(refused.status).toBe(400);
  expect(refused.text).toContain('https://10.0.0.1/');
  const sent = await browser.submit(`${LIST}/new`, {
    url: receiver.url,
    events: '*',
    description: 'Sync <b>',
  });
  expect([sent.status, sent.text.includes('whs_')]).toEqual([200, true]);
  const [row] = await rows(LIST);
  expect(row).toContain(receiver.url);
  const [{ id }] = (await client.data('/webhooks')) as unknown as [{ id: string }];
  const page = await browser.open(`${LIST}/${id}`);
  expect(textOf(page.text)).toContain('Sync <b>');
  expect(page.text).not.toContain('whs_');
});

it('shows what was sent, and sends it again', async () => {
  const [{ id }] = (await client.data('/webhooks')) as unknown as [{ id: string }];
  await client.data('/products', 'POST', mug());
  receiver.answers = [410];
  await webhookWorker(app.ctx).idle();
  const heads = textOf((await browser.open(DELIVERIES)).text);
  expect(heads).toMatch(/Error.*Webhook/);
  const [{ id: delivery }] = (await client.data(`/webhooks/${id}/deliveries`)) as unknown as [{ id: string }];
  expect(textOf((await browser.open(`${LIST}/${id}`)).text)).toContain('the receiver answered 410');
  expect((await rows(`${LIST}/${id}?tab=deliveries`)).join(' ')).toContain('product.created');
  expect((await rows(`${DELIVERIES}?status=failed`)).length).toBe(1);
  expect((await rows(`${DELIVERIES}?status=delivered`)).length).toBe(0);
  const page = await browser.open(`${DELIVERIES}/${delivery}`);
  expect(textOf(page.text)).toContain('410');
  const request = await browser.open(`${DELIVERIES}/${delivery}?tab=request`);
  expect(request.text).toContain('X-Webhook-Signature');
  const again = await browser.submit(`${DELIVERIES}/${delivery}/redeliver`, {});
  expect(again.status).toBe(303);
  await webhookWorker(app.ctx).idle();
  expect(receiver.received.at(-1)?.headers['X-Webhook-Redelivery']).toBe('true');
});

it('the pages of each service show its own webhooks alone', async () => {
  const license = await insertWebhook(app.ctx, { url: 'https://licenses.example.com/hook', events: ['*'] });
  const [{ id }] = (await client.data('/webhooks')) as unknown as [{ id: string }];
  const ofLicenses = await browser.open('/admin/webhooks');
  expect([ofLicenses.text.includes(license), ofLicenses.text.includes(id)]).toEqual([true, false]);
  const ofShop = await browser.open(LIST);
  expect([ofShop.text.includes(license), ofShop.text.includes(id)]).toEqual([false, true]);
  expect((await browser.open(`/admin/webhooks/${id}`)).status).toBe(404);
  expect((await browser.open(`${LIST}/${license}`)).status).toBe(404);
  expect((await rows('/admin/deliveries')).join(' ')).not.toContain('product.created');
  const home = textOf((await browser.open('/admin/')).text);
  expect(home).not.toMatch(/webhooks? (is|are) disabled/);
  const [row] = await app.ctx.db.knex('audit_log').where({ action: 'WEBHOOK_CREATED', target_id: id });
  expect(row.target_type).toBe('store-webhooks');
});
