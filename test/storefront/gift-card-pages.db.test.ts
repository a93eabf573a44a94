// The page that sells gift cards, and the estimate of shipping, by their forms alone (shop-pages 2.1; shop-pages 2.3).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { textOf } from '../platform/panel/staff.ts';
import { type Browser, openBrowser } from '../support/browser.ts';
import { type OrderShop, openOrderShop } from './order-shop.ts';

const PAGE = '/shop/gift-cards';
let shop: OrderShop;
let slug: string;
beforeAll(async () => {
  shop = await openOrderShop({
    pins: { store_open: '1', gift_card_min_cents: '1000', gift_card_max_cents: '20000' },
  });
});
afterAll(() => shop.app.close());

async function onSale(title: string, cents: readonly number[]): Promise<string> {
  const made = await shop.staff.data('/products', 'POST', {
    title,
    type: 'gift_card',
    status: 'active',
    options: [{ name: 'Amount', values: cents.map((one) => `$${one / 100}`) }],
    variants: cents.map((one) => ({
      sku: `CARD-${crypto.randomUUID()}`,
      price_cents: one,
      option_values: { Amount: `$${one / 100}` },
      requires_shipping: false,
    })),
  });
  return String(made.slug);
}
const someone = () => openBrowser(shop.app.send);
const send = (browser: Browser, fields: Record<string, string>, query = '') =>
  browser.submit(PAGE + query, { card: slug, amount: '2500', ...fields });
const dayIn = (days: number) =>
  new Date(Date.parse(shop.app.ctx.now()) + days * 86_400_000).toISOString().slice(0, 10);
const itemsIn = async (browser: Browser) => {
  const { items } = (await browser.open('/api/store/cart')).body.data as unknown as {
    items: { unit_cents: number; variant_title: string | null; gift_card: Record<string, unknown> }[];
  };
  return items;
};

it('says that none are sold while there are none, and is not for search engines then', async () => {
  const { status, text } = await someone().open(PAGE);
  expect([status, text.includes('content="noindex"')]).toEqual([200, true]);
  expect(textOf(text)).toContain('Gift cards are not available right now.');
  expect((await someone().open('/shop/sitemaps/pages.xml')).text).not.toContain('/shop/gift-cards');
  slug = await onSale('Gift card', [2500, 5000, 99_900]);
});

it('offers the amounts of its variants within the bounds, and its product leads there', async () => {
  const { text } = await someone().open(PAGE);
  for (const words of ['$25.00', '$50.00', '$10.00 to $200.00']) expect(textOf(text)).toContain(words);
  expect(textOf(text)).not.toContain('$999.00');
  expect(text).not.toContain('noindex');
  expect((await someone().open('/shop/sitemaps/pages.xml')).text).toContain('/shop/gift-cards</loc>');
  const product = (await someone().open(`/shop/products/${slug}?lang=de`)).text;
  expect(product).toContain(`href="/shop/gift-cards?card=${slug}&amp;lang=de"`);
  expect(product).not.toContain('name="variant_id"');
});

it('puts what was chosen into the cart, which says for whom it is', async () => {
  const browser = someone();
  const day = dayIn(40);
  const sent = await send(browser, {
    amount: 'other',
    other: '37,50',
    recipient_email: 'eve@mail.example',
    recipient_name: ' Eve <b>x</b> ',
    sender_name: 'Bob',
    message: 'For you\r\nBob',
    send_on: day,
  });
  expect([sent.status, sent.headers.location]).toEqual([303, '/shop/cart']);
  const [item] = await itemsIn(browser);
  expect(item).toMatchObject({
    unit_cents: 3750,
    variant_title: null,
    gift_card: {
      amount_cents: 3750,
      recipient_email: 'eve@mail.example',
      sender_name: 'Bob',
      send_at: `${day}T00:00:00.000Z`,
    },
  });
  const cart = await browser.open('/shop/cart');
  expect(textOf(cart.text)).toContain('For Eve <b>x</b>');
  expect(cart.text).not.toContain('<b>x</b>');
  await send(browser, { send_on: dayIn(0) });
  expect((await itemsIn(browser))[1]).toMatchObject({
    unit_cents: 2500,
    variant_title: '$25',
    gift_card: { send_at: null, recipient_email: null },
  });
});

it('keeps what was typed and says what is wrong with it, in the language of the page', async () => {
  const wrong: [Record<string, string>, string][] = [
    [{ amount: 'other', other: '9.99' }, 'Wählen Sie einen Betrag von 10,00'],
    [{ amount: 'other', other: '200.01' }, 'Wählen Sie einen Betrag'],
    [{ amount: 'other', other: '' }, 'Wählen Sie einen Betrag'],
    [{ amount: '999999999999999999999' }, 'Wählen Sie einen Betrag'],
    [{ amount: '-2500' }, 'Wählen Sie einen Betrag'],
    [{ amount: '' }, 'Wählen Sie einen Betrag'],
    [{ recipient_email: 'a@b.test\r\nBcc: c@d.test' }, 'E-Mail-Adresse'],
    [{ recipient_name: 'x'.repeat(101) }, 'zu lang'],
    [{ sender_name: 'a\nb' }, 'in eine einzige Zeile'],
    [{ message: 'x'.repeat(1001) }, 'zu lang'],
    [{ send_on: dayIn(-1) }, 'Wählen Sie einen Tag'],
    [{ send_on: dayIn(3650) }, 'Wählen Sie einen Tag'],
    [{ send_on: '2030-02-31' }, 'Wählen Sie einen Tag'],
    [{ card: 'nothing' }, 'Bitte prüfen'],
  ];
  for (const [fields, words] of wrong) {
    const browser = someone();
    const reply = await send(browser, { sender_name: 'Bob', ...fields }, '?lang=de');
    expect([fields, reply.status, textOf(reply.text).includes(words)]).toEqual([fields, 400, true]);
    expect(reply.text).toContain('name="sender_name"');
    expect(await itemsIn(browser)).toEqual([]);
  }
  const kept = await send(someone(), { amount: 'other', other: '<5>', recipient_name: '"Eve"' });
  expect(kept.text).toContain('value="&lt;5&gt;"');
  expect(kept.text).toContain('value="&#34;Eve&#34;"');
});

it('shows several gift cards by their names, each with its own amounts', async () => {
  const other = await onSale('Birthday card', [3000]);
  const { text } = await someone().open(`${PAGE}?card=${other}`);
  expect(text).toContain(`href="/shop/gift-cards?card=${slug}"`);
  expect([textOf(text).includes('$30.00'), textOf(text).includes('$25.00')]).toEqual([true, false]);
  expect((await someone().open(`${PAGE}?card=%00`)).status).toBeLessThan(500);
});

it('the cart estimates shipping by country and postal code, and writes nothing', async () => {
  const browser = someone();
  const { text } = await browser.open('/shop/track');
  const variantId = await shop.stocked(3);
  const token = /name="_csrf" value="([^"]*)"/.exec(text)?.[1] ?? '';
  await browser.post('/shop/cart/add', { _csrf: token, variant_id: variantId, quantity: '1' });
  const bare = textOf((await browser.open('/shop/cart')).text);
  expect([bare.includes('Estimate shipping'), bare.includes('Parcel')]).toEqual([true, false]);
  const { result, changes } = await shop.app.changesBy(() =>
    browser.open('/shop/cart/estimate?country=de&postal_code=10115'),
  );
  expect([result.status, changes.rows]).toEqual([200, {}]);
  const shown = textOf(result.text);
  for (const words of ['Parcel', '$5.00', 'Total with the cheapest method: $24.00'])
    expect(shown).toContain(words);
  expect(result.text).toContain('<option value="DE" selected>');
  expect(result.text).toContain('value="10115"');
  const part = await browser.open('/shop/cart/estimate?country=DE', { Accept: 'text/html;fragment=1' });
  expect([part.text.includes('id="estimate" data-part'), part.text.includes('<html')]).toEqual([true, false]);
  for (const odd of ['country=%00&postal_code=%00', 'country=<b>&postal_code=<b>x</b>', 'country=ZZ']) {
    const reply = await browser.open(`/shop/cart/estimate?${odd}`);
    expect([reply.status, reply.text.includes('<b>x</b>')]).toEqual([200, false]);
  }
});
