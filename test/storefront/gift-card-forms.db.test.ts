// Gift cards as a person works with them in the panel: amounts in the currency, the code once, balances before and after.
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as giftCards from '#storefront/pricing/gift-cards/index.ts';
import { member, textOf } from '../platform/panel/staff.ts';
import { startApp, type TestApp } from '../support/app.ts';
import type { Browser } from '../support/browser.ts';

let app: TestApp;
let browser: Browser;
beforeAll(async () => {
  app = await startApp();
  ({ browser } = await member(app));
});
afterAll(() => app.close());

const LIST = '/store/gift-cards';
const issued = async (fields: Partial<giftCards.Issue> = {}) =>
  (await giftCards.issue(app.ctx, { amountCents: 5000, currency: 'USD', state: 'active', ...fields })).card;
const balance = async (id: string) => (await giftCards.get(app.ctx, id)).balanceCents;

it('a card is issued with an amount of the currency; its code is shown once', async () => {
  const form = textOf((await browser.open(`${LIST}/new`)).text);
  expect(form).toContain('Amount (USD)');
  expect(form).not.toContain('cents');
  const { status, text } = await browser.submit(`${LIST}/new`, {
    amountCents: '75.50',
    recipientEmail: 'eve@x.test',
    note: 'For Eve',
  });
  const [code = ''] = /([0-9A-Z]{4}-){3}[0-9A-Z]{4}/.exec(text) ?? [];
  expect([status, textOf(text).includes('once')]).toEqual([200, true]);
  const card = await giftCards.findByCode(app.ctx, code);
  expect(card).toMatchObject({ balanceCents: 7550, note: 'For Eve', recipientEmail: 'eve@x.test' });
  const page = await browser.open(`${LIST}/${card?.id}`);
  expect(page.text).not.toContain(code);
  for (const words of ['$75.50', 'For Eve', 'eve@x.test', `•••• ${code.slice(-4)}`])
    expect(textOf(page.text)).toContain(words);
  expect(textOf((await browser.open(LIST)).text)).toContain('$75.50');
});

it('what is wrong is said at its field', async () => {
  const { status, text } = await browser.submit(`${LIST}/new`, {
    amountCents: 'much',
    recipientEmail: 'eve',
  });
  expect([status, textOf(text).includes('“much” is not an amount')]).toEqual([400, true]);
  const past = await browser.submit(`${LIST}/new`, { amountCents: '5', expiresAt: '2001-01-01' });
  expect(past.status).toBe(400);
  expect(past.text).toContain('field-expiresAt-error');
});

it('its recipient, expiry and note are changed and cleared', async () => {
  const { id } = await issued({ note: 'Old', recipientEmail: 'a@x.test' });
  const edit = `${LIST}/${id}/edit`;
  // What a field showed first travels beside it.
  const was = { 'was.note': 'Old', 'was.recipientEmail': 'a@x.test' };
  expect((await browser.submit(edit, { ...was, note: 'New', recipientEmail: '' })).status).toBe(303);
  expect(await giftCards.get(app.ctx, id)).toMatchObject({ note: 'New', recipientEmail: null });
  expect((await browser.submit(edit, { 'was.note': 'New', note: '' })).status).toBe(303);
  expect((await giftCards.get(app.ctx, id)).note).toBe(null);
});

it('a balance is changed after it was shown what it was and will be', async () => {
  const { id } = await issued();
  const path = `${LIST}/${id}/balance`;
  expect(textOf((await browser.open(`${LIST}/${id}?tab=adjust`)).text)).toContain('The balance is $50.00');
  const shown = await browser.submit(path, { amount: '-12.34', reason: 'Goodwill', do: 'check' });
  const words = textOf(shown.text);
  for (const part of ['$50.00', '-$12.34', '$37.66', 'Reason: Goodwill']) expect(words).toContain(part);
  expect(await balance(id)).toBe(5000);
  const done = await browser.submit(path, { amount: '-12.34', reason: 'Goodwill', do: 'apply' });
  expect([done.status, done.headers.location]).toEqual([303, `${LIST}/${id}?done=adjust`]);
  expect(await balance(id)).toBe(3766);
  const page = textOf((await browser.open(`${LIST}/${id}?tab=ledger`)).text);
  for (const part of ['Adjusted', '-$12.34', '$37.66', 'Goodwill']) expect(page).toContain(part);
});

it.each([
  ['-50.01', 'x', 'cannot fall below 0'],
  ['0', 'x', 'must not be 0'],
  ['five', 'x', 'is not an amount'],
  ['1.234', 'x', 'decimal places'],
  ['5', '', 'must not be empty'],
])('a change of %s with the reason "%s" is refused: %s', async (amount, reason, fault) => {
  const { id } = await issued();
  for (const step of ['check', 'apply']) {
    const { status, text } = await browser.submit(`${LIST}/${id}/balance`, { amount, reason, do: step });
    expect([status, textOf(text).includes(fault)]).toEqual([400, true]);
  }
  expect(await balance(id)).toBe(5000);
});

it('is disabled with a reason, and enabled again', async () => {
  const { id } = await issued();
  expect((await browser.submit(`${LIST}/${id}/disable`, { reason: '' })).status).toBe(400);
  expect((await browser.submit(`${LIST}/${id}/disable`, { reason: 'Lost' })).status).toBe(303);
  expect(textOf((await browser.open(`${LIST}/${id}`)).text)).toContain('disabled');
  expect((await browser.submit(`${LIST}/${id}/enable`)).status).toBe(303);
  expect((await giftCards.get(app.ctx, id)).status).toBe('active');
});

it('who may read sees no form, and cannot send one', async () => {
  const { id } = await issued();
  const { browser: reader } = await member(app, ['gift_cards:read']);
  expect((await reader.open(`${LIST}/${id}`)).status).toBe(200);
  for (const path of [`${LIST}/new`, `${LIST}/${id}/balance`, `${LIST}/${id}/disable`])
    expect([path, (await reader.open(path)).status]).toEqual([path, 403]);
  const { browser: other } = await member(app, ['promotions:write']);
  expect((await other.open(LIST)).status).toBe(403);
  expect((await other.open('/store/')).text).not.toContain('/store/gift-cards');
});

it('a card that does not exist has no pages', async () => {
  for (const path of ['', '/edit', '/balance', '/ledger', '/disable'])
    expect([path, (await browser.open(`${LIST}/gft_unknown${path}`)).status]).toEqual([path, 404]);
});

it('switched off, the panel has neither its pages nor a link to them', async () => {
  expect((await browser.open('/store/')).text).toContain('"/store/gift-cards"');
  await browser.submit('/store/settings/features', { gift_cards_enabled: '0' });
  expect((await browser.open(LIST)).status).toBe(404);
  expect((await browser.open('/store/')).text).not.toContain('/store/gift-cards');
  await browser.submit('/store/settings/features', { gift_cards_enabled: '1' });
  expect((await browser.open(LIST)).status).toBe(200);
});
