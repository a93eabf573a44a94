// Mails to members of staff: what happened, who gets it, and never a flood (storefront-domain 14).
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { keepRun } from '#kernel/jobs/runs/repository.ts';
import { tellStaff } from '#platform/staff-mail/index.ts';
import { type OrderShop, openOrderShop } from '../storefront/order-shop.ts';
import { type MailServer, mailWorker, openMailServer } from '../support/smtp-server.ts';
import { member, textOf } from './panel/staff.ts';

let server: MailServer;
let shop: OrderShop;
let desk: Awaited<ReturnType<typeof member>>;
let stock: Awaited<ReturnType<typeof member>>;
beforeAll(async () => {
  server = await openMailServer();
  shop = await openOrderShop({
    pins: {
      smtp_host: '127.0.0.1',
      smtp_port: String(server.port),
      smtp_secure: 'none',
      email_from_address: 'shop@shop.example',
      email_staff_addresses: 'all@mail.example',
      store_name: 'The Shop',
    },
  });
  desk = await member(shop.app, ['orders:read', 'orders:write', 'inventory:read']);
  stock = await member(shop.app, ['inventory:write', 'orders:read', 'webhooks:write', 'system:write']);
});
afterAll(async () => {
  await shop.app.close();
  await server.close();
});
beforeEach(() => {
  server.mails.length = 0;
});

/** Who got which mail, customers aside. */
async function told(): Promise<string[]> {
  await mailWorker(shop.app.ctx).idle();
  return server.mails
    .map(({ envelope, subject }) => `${envelope.to[0]}: ${subject}`)
    .filter((one) => !one.startsWith('buyer'))
    .toSorted();
}
const order = async (quantity = 1, stocked = 50) =>
  shop.placed(await shop.stocked(stocked), quantity, 'fake', { email: 'buyer@mail.example' });
const tell = (key: string, subject: string): Promise<void> =>
  shop.app.ctx.tx((ctx) => tellStaff(ctx, key, subject));

describe('a new order', () => {
  test('is told to whoever works on orders and to shared mailboxes, with a link, once', async () => {
    const { id, order_number: number, total_cents: total } = await order();
    const subject = `New order ${number}: $${(total / 100).toFixed(2)}`;
    expect(await told()).toEqual([`${desk.email}: ${subject}`, `all@mail.example: ${subject}`].toSorted());
    const mail = server.to(desk.email)[0];
    expect(mail?.text).toContain('1 × Mug');
    expect(mail?.text).toContain(`/store/orders/${id}`);
    await tell('admin_new_order', id);
    await tell('admin_new_order', id);
    expect(await told()).toHaveLength(2);
  });

  test('is not told to who switched that off for themselves, and is again when they switch it on', async () => {
    const path = '/admin/profile/emails';
    const page = await desk.browser.open(path);
    expect(textOf(page.text)).toContain('New orders');
    expect(textOf(page.text)).not.toContain('Low stock');
    expect((await desk.browser.submit(path, { wanted: 'admin_order_review' })).status).toBe(303);
    await order();
    expect((await told()).some((one) => one.startsWith(desk.email))).toBe(false);
    await desk.browser.submit(path, { wanted: 'admin_new_order' });
    await order();
    expect((await told()).some((one) => one.startsWith(desk.email))).toBe(true);
  });

  test('is told to those who answer customers only when they ask for it', async () => {
    const support = await member(shop.app, ['orders:write', 'orders:refund', 'customers:write']);
    await order();
    expect((await told()).some((one) => one.startsWith(support.email))).toBe(false);
    const path = '/admin/profile/emails';
    expect((await support.browser.open(path)).text).not.toMatch(/value="admin_new_order" checked/);
    await support.browser.submit(path, { wanted: 'admin_new_order' });
    await order();
    expect((await told()).some((one) => one.startsWith(support.email))).toBe(true);
    await support.browser.submit(path, { wanted: 'admin_order_review' });
  });

  test('waits for no mail: the transaction writes a note, whoever reads it', async () => {
    const { changes } = await shop.app.changesBy(() => order());
    expect(changes.rows.email_log).toBe('+1');
  });
});

describe('what else staff are told', () => {
  test('stock that fell to its threshold, once an hour for a variant', async () => {
    await shop.staff.data('/settings', 'PATCH', { low_stock_threshold: 5 });
    await order(2, 6);
    expect((await told()).filter((one) => one.includes('Low stock'))).toEqual(
      [
        `all@mail.example: ${server.to(stock.email)[0]?.subject}`,
        `${stock.email}: ${server.to(stock.email)[0]?.subject}`,
      ].toSorted(),
    );
    expect(server.to(stock.email)[0]?.text).toContain('Available: 4\nThreshold: 5');
  });

  test('again after an hour, and not a second time within it', async () => {
    const { id } = await order();
    await told();
    server.mails.length = 0;
    shop.app.clock.advance(3000);
    await tell('admin_new_order', id);
    expect(await told()).toEqual([]);
    shop.app.clock.advance(700);
    await tell('admin_new_order', id);
    expect(await told()).toHaveLength(2);
  });

  test('a job that failed, with its reason; nothing of one that ran well', async () => {
    const { ctx } = shop.app;
    const now = ctx.now();
    const run = { name: 'sync-payments', startedAt: now, endedAt: now, ms: 1, startedBy: null };
    await ctx.tx((ctx) => keepRun(ctx, { ...run, status: 'failed', result: null, error: 'no answer' }));
    await tell('admin_job_failed', 'sync-payments');
    const subjects = await told();
    expect(subjects).toContain(`${stock.email}: The job sync-payments failed`);
    expect(subjects.some((one) => one.startsWith(desk.email))).toBe(false);
    expect(server.to(stock.email)[0]?.text).toContain('no answer');
    server.mails.length = 0;
    await tell('admin_job_failed', 'sync-orders');
    expect(await told()).toEqual([]);
  });

  test('something that is gone or that no mail is about tells nobody', async () => {
    await tell('admin_order_review', 'ord_01J9ZK3T5W8Y2QF4M6N7P0R1SV');
    await tell('admin_nonsense', 'x');
    expect(await told()).toEqual([]);
    expect(await shop.app.ctx.db.knex('outbox').where({ kind: 'staff-mail' })).toEqual([]);
  });
});
