// How often a customer may show a key, release a machine, and make a link to a release (storefront-api M).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openShopperShop, type ShopperShop } from './shopper-shop.ts';

let shop: ShopperShop;
let held: Awaited<ReturnType<ShopperShop['holder']>>;
let releaseId: string;
beforeAll(async () => {
  shop = await openShopperShop({ limits: 'on' });
  const { variantId, releases } = await shop.program();
  releaseId = releases[0]?.id ?? '';
  held = await shop.holder(variantId);
}, 120_000);
afterAll(() => shop.app.close());

const LIMITED = [429, 'RATE_LIMITED'];

it.each([
  ['key', 'reveal'],
  ['link', 'releases/:id/link'],
])('a %s is given ten times an hour', async (_what, path) => {
  const { who, card } = held;
  const address = `/api/shop/licenses/${card.id}/${path.replace(':id', releaseId)}`;
  for (let n = 0; n < 10; n++) await who.data(address, 'POST', {});
  expect((await who.refusal(address, 'POST', {})).slice(0, 2)).toEqual(LIMITED);
});

it('machines are released ten times a day', async () => {
  const { who, card, key } = held;
  const path = `/api/shop/licenses/${card.id}/activations`;
  const first = async () => (await who.data<{ id: string }[]>(path))[0]?.id;
  for (let n = 0; n < 10; n++) {
    await shop.activate(key, `machine-${n}`);
    await who.data(`${path}/${await first()}`, 'DELETE');
  }
  await shop.activate(key, 'machine-11');
  expect((await who.refusal(`${path}/${await first()}`, 'DELETE')).slice(0, 2)).toEqual(LIMITED);
  expect((await shop.validate(key, 'machine-11')).body.valid).toBe(true);
});
