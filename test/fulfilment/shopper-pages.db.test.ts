// Licenses on the pages of the account, without JavaScript (shop-pages 2.6).
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bundleOf } from '../licensing/release-fixture.ts';
import { textOf } from '../platform/panel/staff.ts';
import { customerClient } from '../storefront/customer-client.ts';
import { tokenIn } from '../support/browser.ts';
import { claimsIn } from '../support/offline-token.ts';
import { delegatedProduct } from '../support/online-key.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { openShopperShop, type ShopperShop } from './shopper-shop.ts';

let shop: ShopperShop;
let sold: Awaited<ReturnType<ShopperShop['program']>>;
let held: Awaited<ReturnType<ShopperShop['holder']>>;
let path: string;
beforeAll(async () => {
  shop = await openShopperShop();
  sold = await shop.program();
  held = await shop.holder(sold.variantId);
  path = `/shop/account/licenses/${held.card.id}`;
}, 120_000);
afterAll(() => shop.app.close());

/** Sends a form of the page of the license. */
async function pressed(action: string, fields: Record<string, string>, lang = '') {
  const { browser } = held.who;
  const { text } = await browser.open(path);
  return browser.post(`${path}/${action}${lang}`, { _csrf: tokenIn(text), ...fields });
}

it('the account leads to its licenses, and those to each of them', async () => {
  const { browser } = held.who;
  expect((await browser.open('/shop/account')).text).toContain('href="/shop/account/licenses"');
  const list = await browser.open('/shop/account/licenses');
  expect(list.headers['cache-control']).toContain('no-store');
  expect(list.text).toContain(`href="${path}"`);
  expect(list.text).not.toContain(held.key);
  const one = await browser.open(path);
  expect([one.status, one.headers['cache-control']]).toEqual([200, expect.stringContaining('no-store')]);
  expect(textOf(one.text)).toContain(held.card.key_masked);
  expect(textOf(one.text)).toContain('0 of 2 machines in use');
  expect(one.text).not.toContain(held.key);
  const arabic = await browser.open(`${path}?lang=ar`);
  expect(arabic.text).toContain('dir="rtl"');
  await browser.open(`${path}?lang=en`);
  const eve = await customerClient(shop.app);
  expect((await eve.browser.open(path)).status).toBe(404);
  expect(textOf((await eve.browser.open('/shop/account/licenses')).text)).toContain('no licenses yet');
});

it('the key is shown by its button; later with the password', async () => {
  const shown = await pressed('key', {});
  expect([shown.status, shown.headers['cache-control']]).toEqual([200, expect.stringContaining('no-store')]);
  expect(shown.text).toContain(held.key);
  expect(/<title>([^<]*)/.exec(shown.text)?.[1]).not.toContain(held.key);
  shop.app.clock.advance(15 * 60 + 1);
  expect((await held.who.browser.open(path)).text).toContain('id="password"');
  const without = await pressed('key', {});
  expect([without.status, textOf(without.text)]).toEqual([
    400,
    expect.stringContaining('Enter your password'),
  ]);
  const wrong = await pressed('key', { password: 'nothing' });
  expect(wrong.status).toBe(400);
  expect(wrong.text).not.toContain(held.key);
  expect((await pressed('key', { password: held.who.password })).text).toContain(held.key);
  // To look at the address of the button does nothing.
  expect((await held.who.browser.open(`${path}/key`)).status).toBe(303);
});

it('machines are released, and get no token that nobody can sign', async () => {
  await shop.activate(held.key, 'machine-0123456789', { machineName: 'Desk <1>' });
  const { text } = await held.who.browser.open(path);
  expect(textOf(text)).toContain('Desk <1>');
  // Nothing is offered that nobody can sign.
  expect(text).not.toContain('/offline-token');
  expect(textOf(text)).toContain('The shop does not offer offline tokens for this program.');
  const activation = /name="activation" value="([^"]+)"/.exec(text)?.[1] ?? '';
  const token = await pressed('offline-token', { activation });
  expect([token.status, textOf(token.text)]).toEqual([
    400,
    expect.stringContaining('An offline token cannot be created'),
  ]);
  const released = await pressed('release', { activation });
  expect([released.status, released.headers.location]).toEqual([303, `${path}?done=released#machines`]);
  expect((await shop.validate(held.key, 'machine-0123456789')).body.valid).toBe(false);
  const again = await pressed('release', { activation }, '?lang=de');
  expect([again.status, textOf(again.text)]).toEqual([400, expect.stringContaining('Es wurde nichts')]);
});

it('releases show what verifies them, and the command does', async () => {
  const { text } = await held.who.browser.open(path);
  const shown = textOf(text);
  expect(shown).toContain('About 2.0.0');
  const command = /printf '%s\\n' '-----BEGIN[\s\S]*?release\.sig(?=\s)[^\n]*\n?/.exec(shown)?.[0] ?? '';
  const folder = scratchFolder('appctl-verify-');
  writeFileSync(join(folder, 'app-2.0.0.zip'), bundleOf(`${sold.licenseProduct.slug} 2.0.0`));
  const [verify] = command.split(/(?<=-sigfile release\.sig)/);
  const said = execFileSync('sh', ['-c', verify ?? ''], { cwd: folder, encoding: 'utf8' });
  expect(said).toContain('Verified Successfully');
  const refused = await pressed('download', { release: 'rel_nobody' });
  expect(refused.status).toBe(400);
  // Only channels with a release have a tab, and the one that was asked for.
  const tabsOf = async (query: string) =>
    [...(await held.who.browser.open(path + query)).text.matchAll(/\?channel=(\w+)[^"]*#releases/g)].map(
      ([, name]) => name,
    );
  expect(await tabsOf('?channel=beta')).toEqual(['stable', 'beta']);
  expect(await tabsOf('')).toEqual([]);
  const unknown = await held.who.browser.open(`${path}?channel=nonsense`);
  expect([unknown.status, textOf(unknown.text).includes('About 2.0.0')]).toEqual([200, true]);
});

it('a machine gets an offline token, once on the page or as a file', async () => {
  const own = await shop.licensed();
  await delegatedProduct(shop.app.ctx, own.licenseProduct);
  const { who, card, key } = await shop.holder(own.variantId);
  await shop.activate(key, 'machine-0123456789');
  const one = `/shop/account/licenses/${card.id}`;
  const { text } = await who.browser.open(one);
  expect(text).toContain(`action="${one}/offline-token"`);
  const activation = /name="activation" value="([^"]+)"/.exec(text)?.[1] ?? '';
  const fields = { _csrf: tokenIn(text), activation };
  const shown = await who.browser.post(`${one}/offline-token`, { ...fields, as: 'page' });
  expect(shown.status).toBe(200);
  expect(textOf(shown.text)).toContain('This token is shown only once');
  const saved = await who.browser.post(`${one}/offline-token`, { ...fields, as: 'file' });
  expect(saved.headers['content-disposition']).toBe('attachment; filename="offline-token.txt"');
  expect(saved.headers['cache-control']).toContain('no-store');
  expect(claimsIn(saved.text.split(/[/.]/)[1] ?? '').lid).toBe(card.id);
  const path = `/api/shop/licenses/${card.id}/activations/${activation}/offline-token`;
  const { token } = await who.data<{ token: string }>(path, 'POST', { ttl_seconds: 3600 });
  expect(claimsIn(token.split(/[/.]/)[1] ?? '').lid).toBe(card.id);
  expect(await who.refusal(path, 'POST', { ttl_seconds: 1 })).toEqual([400, 'VALIDATION_ERROR', undefined]);
  // Longer than whoever asks for nothing gets is for staff to give.
  const most = 30 * 86_400;
  const longest = await who.data<{ token: string }>(path, 'POST', { ttl_seconds: most });
  const { iat, exp } = claimsIn(longest.token.split(/[/.]/)[1] ?? '');
  expect(exp - iat).toBeLessThanOrEqual(most);
  const longer = await who.send(path, 'POST', { ttl_seconds: most + 1 });
  expect([longer.status, longer.body.error_code]).toEqual([400, 'VALIDATION_ERROR']);
  expect(longer.text).toContain(`must be at most ${most}`);
});

it('a license that ends soon is shown where the account begins', async () => {
  const trial = await shop.program({ type: 'SUBSCRIPTION', durationDays: 20 });
  const { who, card } = await shop.holder(trial.variantId);
  expect(textOf((await who.browser.open('/shop/account')).text)).toContain('Licenses expiring soon');
  shop.app.clock.advance(21 * 86_400);
  await who.renew();
  await who.data('/api/shop/auth/login', 'POST', { email: who.email, password: who.password });
  expect(textOf((await who.browser.open('/shop/account')).text)).not.toContain('Licenses expiring soon');
  const ended = textOf((await who.browser.open(`/shop/account/licenses/${card.id}`)).text);
  expect(ended).toContain('has expired');
  expect(ended).toContain('Renew it to download.');
  expect(ended).not.toContain('No releases are available');
});

it('a perpetual license that has an end is not called perpetual', async () => {
  const { who, card } = await shop.holder(sold.variantId);
  const page = async () => textOf((await who.browser.open(`/shop/account/licenses/${card.id}`)).text);
  expect(await page()).toContain('Type Perpetual');
  const until = new Date(Date.parse(shop.app.ctx.now()) + 86_400_000).toISOString();
  await shop.app.ctx.tx(({ db }) =>
    db.knex('licenses').where({ id: card.id }).update({ valid_until: until }),
  );
  expect(await page()).toContain('Type Limited time');
});

it('orders of a guest wait to be added where the licenses are, too', async () => {
  const email = 'guest-licenses@x.test';
  const { shipping_method_id: _none, ...order } = shop.order('fake', { email });
  const shopper = await shop.withCart(sold.variantId, 1);
  const { order: placed } = await shopper.data<{ order: { order_number: string } }>('/checkout', order);
  const elsewhere = textOf(
    (await shopper.browser.open(`/shop/checkout/success/${placed.order_number}`)).text,
  );
  expect(elsewhere).not.toContain('The full key is in our email');
  shop.app.clock.advance(86_401);
  const later = await shopper.browser.open(`/shop/checkout/success/${placed.order_number}`);
  expect(textOf(later.text)).toContain('The full key is in our email');
  expect(later.text).toMatch(/href="\/shop\/register[^>]*>Create an account/);
  const who = await customerClient(shop.app, { email });
  const list = await who.browser.open('/shop/account/licenses');
  expect(textOf(list.text)).toContain('before you had an account: 1');
  await who.browser.post('/shop/account/claim-orders', { _csrf: tokenIn(list.text) });
  const after = textOf((await who.browser.open('/shop/account/licenses')).text);
  expect(after).not.toContain('before you had an account');
  expect(after).toContain(sold.licenseProduct.name);
});
