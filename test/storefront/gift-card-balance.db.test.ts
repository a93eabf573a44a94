// What is left on a gift card, by form and by JSON: the same refusal for every wrong code, and few tries (shop-pages 2.1).
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as giftCards from '#storefront/pricing/gift-cards/index.ts';
import { textOf } from '../platform/panel/staff.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { openBrowser } from '../support/browser.ts';

const PAGE = '/shop/gift-cards/balance';
let app: TestApp;
let limited: TestApp;
beforeAll(async () => {
  [app, limited] = await Promise.all([startApp(), startApp({ limits: 'on' })]);
});
afterAll(() => Promise.all([app.close(), limited.close()]));

const issued = (fields: Partial<giftCards.Issue> = {}, on = app) =>
  giftCards.issue(on.ctx, { amountCents: 5000, currency: 'USD', state: 'active', ...fields });
const ask = (code: unknown, on = app) =>
  on.send('/api/shop/gift-cards/balance', { method: 'POST', body: { code, pin: '1234' } });
const submit = (code: string, query = '', on = app) => openBrowser(on.send).submit(PAGE + query, { code });

it('JSON says what can be spent, and writes nothing', async () => {
  const { card, code } = await issued();
  await giftCards.hold(app.ctx, { giftCardId: card.id, orderId: 'ord_1', amountCents: 700 });
  const { result, changes } = await app.changesBy(() => ask(code.toLowerCase().replaceAll('-', ' ')));
  expect([result.status, result.body.data]).toEqual([
    200,
    { last4: card.last4, balance_cents: 4300, currency: 'USD', expires_at: null, status: 'active' },
  ]);
  expect([changes.rows, result.headers['cache-control']]).toEqual([{}, 'no-store']);
});

it('cards that cannot pay say why, and that nothing can be spent', async () => {
  const expiresAt = new Date(Date.parse(app.ctx.now()) + 1000).toISOString();
  const over = await issued({ expiresAt });
  app.clock.advance(1);
  expect((await ask(over.code)).body.data).toMatchObject({ status: 'expired', balance_cents: 0 });
  expect(textOf((await submit(over.code)).text)).toContain('This gift card has expired.');
  const used = await issued();
  const all = { giftCardId: used.card.id, orderId: 'ord_2', amountCents: 5000 };
  await giftCards.hold(app.ctx, all);
  await giftCards.spend(app.ctx, all);
  expect((await ask(used.code)).body.data).toMatchObject({ status: 'redeemed', balance_cents: 0 });
});

it('every code that no card has is refused in the same words, like that of a card which nobody was sent', async () => {
  const { code } = await issued();
  const { code: pending } = await issued({ state: 'pending' });
  const near = code.slice(0, -1) + (code.endsWith('Z') ? 'Y' : 'Z');
  const wrong = [near, pending, 'AAAA-BBBB-CCCC-DDDD', 'x', '%', "' OR 1=1 --", 'é'.repeat(900), '🎁'];
  const answers = await Promise.all(wrong.map((one) => ask(one)));
  const [first] = answers;
  expect([first?.status, first?.body]).toEqual([
    400,
    {
      success: false,
      error: 'no gift card has this code; check it and try again',
      error_code: 'VALIDATION_ERROR',
      details: { reason: 'GIFT_CARD_INVALID' },
    },
  ]);
  for (const { status, body } of answers) expect([status, body]).toEqual([400, first?.body]);
  for (const one of [undefined, null, 5, [], {}, ''])
    expect([one, (await ask(one)).status]).toEqual([one, 400]);
});

it('the form works without JavaScript, sets no session that nobody needs, and keeps what was typed', async () => {
  const { card, code } = await issued({ expiresAt: '2099-05-06T12:00:00.000Z' });
  const good = await submit(code);
  const words = textOf(good.text);
  expect([good.status, good.headers['cache-control']]).toEqual([200, 'no-store']);
  expect(words).toContain(`Balance of the gift card ending in ${card.last4}: $50.00`);
  expect(words).toContain('Valid until May 6, 2099');
  expect(good.text).not.toContain(code);
  const bad = await submit('1234-<b>');
  expect(bad.status).toBe(400);
  expect(bad.text).toContain('value="1234-&lt;b&gt;"');
  expect(textOf(bad.text)).toContain('No gift card has this code.');
  const foreign = await openBrowser(app.send).post(PAGE, { code });
  expect(foreign.status).toBe(403);
});

it.each(['en', 'de', 'es', 'fr', 'pt', 'ja', 'ar'])(
  'the page in %s has words of that language',
  async (lang) => {
    const { card, code } = await issued({ expiresAt: '2099-05-06T12:00:00.000Z' });
    const page = await openBrowser(app.send).open(`${PAGE}?lang=${lang}`);
    expect([page.status, page.text.includes('gift_card.')]).toEqual([200, false]);
    const found = await submit(code, `?lang=${lang}`);
    expect([found.status, found.text.includes(`lang="${lang}"`), found.text.includes(card.last4)]).toEqual([
      200,
      true,
      true,
    ]);
    expect(found.text).not.toContain('gift_card.');
  },
);

it('an address has ten tries in ten minutes, by form and JSON together', async () => {
  const { code } = await issued({}, limited);
  for (let at = 0; at < 5; at += 1) {
    expect((await ask(`AAAA-BBBB-CCCC-${1000 + at}`, limited)).status).toBe(400);
    expect((await submit(`AAAA-BBBB-CCCC-${2000 + at}`, '', limited)).status).toBe(400);
  }
  const { status, body, headers } = await ask(code, limited);
  expect([status, body.error_code, Number(headers['retry-after']) > 0]).toEqual([429, 'RATE_LIMITED', true]);
  expect((await submit(code, '', limited)).status).toBe(429);
  // To look at the form is free.
  expect((await openBrowser(limited.send).open(PAGE)).status).toBe(200);
});
