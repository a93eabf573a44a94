// How codes of gift cards reach people: at once, on their day, once more, and never from what is stored for longer.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import * as giftCards from '#storefront/pricing/gift-cards/index.ts';
import { member, textOf } from '../platform/panel/staff.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { runJob } from '../support/jobs.ts';
import { type MailServer, mailWorker, openMailServer } from '../support/smtp-server.ts';
import { storeClient } from './store-client.ts';

let app: TestApp;
let server: MailServer;
let client: Awaited<ReturnType<typeof storeClient>>;
beforeAll(async () => {
  server = await openMailServer();
  app = await startApp({
    pins: {
      smtp_host: '127.0.0.1',
      smtp_port: String(server.port),
      smtp_secure: 'none',
      email_from_address: 'shop@shop.example',
      store_name: 'Tea House',
    },
  });
  client = await storeClient(app);
});
afterAll(async () => {
  await app.close();
  await server.close();
});
beforeEach(() => {
  server.mails.length = 0;
});

const CODE = /([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}/;
let made = 0;
const newAddress = () => `eve${++made}@mail.example`;
/** What an address has been sent, all of it. */
async function mailsTo(address: string) {
  await mailWorker(app.ctx).idle();
  return server.to(address);
}
const codeIn = (text = '') => CODE.exec(text)?.[0] ?? '';
const issued = (fields: Partial<giftCards.Issue>) =>
  giftCards.issue(app.ctx, { amountCents: 5000, currency: 'USD', state: 'pending', ...fields });
const inHours = (hours: number) => new Date(Date.parse(app.ctx.now()) + hours * 3_600_000).toISOString();
const sealedOf = async (id: string): Promise<string | null> =>
  (await app.instance.database.db.knex('gift_cards').where({ id }).first('code_sealed')).code_sealed;

it('a bought card is mailed with its purchase, and can be used then', async () => {
  const recipientEmail = newAddress();
  const { result, changes } = await app.changesBy(() =>
    issued({
      recipientEmail,
      recipientName: 'Eve',
      senderName: 'Bob & Co',
      message: 'For <you>',
      expiresAt: '2099-05-06T12:00:00.000Z',
    }),
  );
  const { card, code } = result;
  expect([card.status, card.deliveredAt, await sealedOf(card.id)]).toEqual(['active', app.ctx.now(), null]);
  expect(changes.events.toSorted()).toEqual(['gift_card.delivered', 'gift_card.issued']);
  const [mail, ...others] = await mailsTo(recipientEmail);
  expect([mail?.subject, others]).toEqual(['A gift card for Tea House', []]);
  for (const words of ['$50.00', code, 'Bob & Co', 'For <you>', 'Valid until May 6, 2099'])
    expect(mail?.text).toContain(words);
  expect(mail?.html).toContain('For &lt;you&gt;');
  expect((await giftCards.findByCode(app.ctx, codeIn(mail?.text)))?.id).toBe(card.id);
});

it('the mail speaks the language of the purchase, and leaves out what nobody said', async () => {
  const [german, odd] = [newAddress(), newAddress()];
  await issued({ recipientEmail: german, locale: 'de' });
  await issued({ recipientEmail: odd, locale: 'no such language' });
  const [mail] = await mailsTo(german);
  expect(mail?.subject).toBe('Eine Geschenkkarte für Tea House');
  expect(mail?.text).toContain('über 50,00\u00a0$');
  expect(mail?.text).toContain('Tea House schickt Ihnen');
  expect(mail?.text).not.toContain('Gültig bis');
  expect((await mailsTo(odd))[0]?.text).toContain('$50.00');
});

it('a card for a later day waits with its code sealed, cannot be used, and is delivered once', async () => {
  const recipientEmail = newAddress();
  const { card, code } = await issued({ recipientEmail, sendAt: inHours(5) });
  const sealed = await sealedOf(card.id);
  expect([card.status, sealed?.startsWith('v1.'), sealed?.includes(code)]).toEqual(['pending', true, false]);
  await expect(
    giftCards.hold(app.ctx, { giftCardId: card.id, orderId: 'ord_1', amountCents: 5 }),
  ).rejects.toMatchObject({ details: { reason: 'GIFT_CARD_INVALID' } });
  app.clock.advance(5 * 3600 - 1);
  expect(await runJob(app.ctx, 'deliver-gift-cards')).toEqual({ delivered: 0 });
  app.clock.advance(1);
  const runs = await Promise.all([runJob(app.ctx, 'deliver-gift-cards'), giftCards.deliverDue(app.ctx)]);
  expect(runs.reduce((sum, run) => sum + Number(run?.delivered ?? 0), 0)).toBe(1);
  expect(await giftCards.get(app.ctx, card.id)).toMatchObject({ status: 'active' });
  expect(await sealedOf(card.id)).toBe(null);
  const mails = await mailsTo(recipientEmail);
  expect(mails.map(({ text }) => codeIn(text))).toEqual([code]);
});

it('a purchase that is rolled back mails nothing', async () => {
  const recipientEmail = newAddress();
  const work = app.ctx.tx(async (ctx) => {
    await giftCards.issue(ctx, { amountCents: 5, currency: 'USD', state: 'pending', recipientEmail });
    throw new Error('rolled back');
  });
  await expect(work).rejects.toThrow('rolled back');
  expect(await mailsTo(recipientEmail)).toEqual([]);
});

it('a disabled card is not delivered; enabled before its day it waits, and after it can be sent', async () => {
  const recipientEmail = newAddress();
  const { card, code } = await issued({ recipientEmail, sendAt: inHours(2) });
  await client.data(`/gift-cards/${card.id}/disable`, 'POST', { reason: 'x' });
  app.clock.advance(3 * 3600);
  expect(await runJob(app.ctx, 'deliver-gift-cards')).toEqual({ delivered: 0 });
  expect((await client.data(`/gift-cards/${card.id}/enable`, 'POST', {})).status).toBe('active');
  await client.data(`/gift-cards/${card.id}/resend`, 'POST', {});
  expect((await mailsTo(recipientEmail)).map(({ text }) => codeIn(text))).toEqual([code]);
});

it('a card without an address is active, and its code waits sealed until staff name one', async () => {
  for (const recipientEmail of [null, 'eve@exämple']) {
    const { card, code } = await issued({ recipientEmail });
    expect(await runJob(app.ctx, 'deliver-gift-cards')).toEqual({ delivered: 1 });
    expect(await giftCards.get(app.ctx, card.id)).toMatchObject({ status: 'active', deliveredAt: null });
    const path = `/gift-cards/${card.id}/resend`;
    expect((await client.refusal(path, 'POST', {})).slice(0, 2)).toEqual([400, 'VALIDATION_ERROR']);
    const email = newAddress();
    expect(await client.data(path, 'POST', { email })).toEqual({ sent: true });
    expect((await mailsTo(email)).map(({ text }) => codeIn(text))).toEqual([code]);
    expect(await sealedOf(card.id)).toBe(null);
  }
});

describe('staff', () => {
  it('mail a card when they issue it', async () => {
    const email = newAddress();
    const card = await client.data('/gift-cards', 'POST', {
      amount_cents: 700,
      recipient_email: email,
      send: true,
    });
    expect(card).toMatchObject({ status: 'active', delivered_at: app.ctx.now() });
    expect((await mailsTo(email)).map(({ text }) => codeIn(text))).toEqual([card.code]);
  });

  it('or let it be mailed on a day', async () => {
    const email = newAddress();
    const sent = { amount_cents: 700, recipient_email: email, send_at: inHours(1) };
    const card = await client.data('/gift-cards', 'POST', sent);
    expect(card).toMatchObject({ status: 'pending', delivered_at: null, send_at: inHours(1) });
    app.clock.advance(3600);
    await runJob(app.ctx, 'deliver-gift-cards');
    expect(await mailsTo(email)).toHaveLength(1);
  });

  it('name an address to which mail can be sent', async () => {
    for (const fields of [
      { send: true },
      { send_at: inHours(1) },
      { send: true, recipient_email: 'a@exämple.de' },
    ])
      expect((await client.send('/gift-cards', 'POST', { amount_cents: 700, ...fields })).status).toBe(400);
  });

  it('send a lost code as a new one: the old one is worth nothing, and orders keep what they hold', async () => {
    const email = newAddress();
    const { card, code } = await issued({ recipientEmail: email, state: 'active' });
    await giftCards.hold(app.ctx, { giftCardId: card.id, orderId: 'ord_rot', amountCents: 700 });
    const path = `/gift-cards/${card.id}/resend`;
    const { body } = await client.send(path, 'POST', {});
    expect((body.details as unknown as { fields: { field: string }[] }).fields[0]?.field).toBe('rotate_code');
    const { changes } = await app.changesBy(() => client.data(path, 'POST', { rotate_code: true }));
    expect(changes.events).toEqual(['gift_card.delivered']);
    const [mail] = await mailsTo(email);
    const fresh = codeIn(mail?.text);
    expect(fresh).not.toBe(code);
    expect(await giftCards.findByCode(app.ctx, code)).toBe(null);
    expect(await giftCards.findByCode(app.ctx, fresh)).toMatchObject({
      id: card.id,
      last4: fresh.slice(-4),
      heldCents: 700,
    });
    await giftCards.spend(app.ctx, { giftCardId: card.id, orderId: 'ord_rot', amountCents: 700 });
    expect(await giftCards.giftCardSums(app.ctx)).toEqual([]);
  });

  it('cannot send one that is disabled, used up or unknown', async () => {
    const { card } = await issued({ state: 'active' });
    await client.data(`/gift-cards/${card.id}/disable`, 'POST', { reason: 'x' });
    const input = { email: newAddress(), rotate_code: true };
    expect(await client.refusal(`/gift-cards/${card.id}/resend`, 'POST', input)).toEqual([
      400,
      'VALIDATION_ERROR',
      'INVALID_TRANSITION',
    ]);
    expect((await client.refusal('/gift-cards/gft_x/resend', 'POST', input))[0]).toBe(404);
  });

  it('do it in the panel, which says what became of it', async () => {
    const { browser } = await member(app);
    const email = newAddress();
    const { card } = await issued({ recipientEmail: email, state: 'active' });
    const path = `/store/gift-cards/${card.id}/resend`;
    const refused = await browser.submit(path, {});
    expect([refused.status, textOf(refused.text).includes('no longer stored')]).toEqual([400, true]);
    const { status, text } = await browser.submit(path, { rotateCode: 'true' });
    expect([status, textOf(text).includes('The gift card was sent.')]).toEqual([200, true]);
    const [mail] = await mailsTo(email);
    expect(text).not.toContain(codeIn(mail?.text));
  });
});

it('no code is stored once its mail was sent', async () => {
  const email = newAddress();
  const { card, code } = await issued({ recipientEmail: email });
  await mailsTo(email);
  const { knex } = app.instance.database.db;
  const [row] = await knex('email_log').where({ to_address: email });
  expect(row).toMatchObject({
    status: 'sent',
    values_enc: null,
    related_type: 'gift_card',
    related_id: card.id,
  });
  const all = JSON.stringify([await knex('email_log'), await knex('gift_cards'), await knex('audit_log')]);
  expect(all).not.toContain(code);
  expect(all).not.toContain(code.replaceAll('-', ''));
});
