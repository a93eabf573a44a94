// A shop that sells licenses of a program with releases, to customers with an account.
import { register } from '#licensing/catalog/keys/index.ts';
import { keyOf } from '#licensing/licenses/licenses/index.ts';
import { published, keyOf as signingKeyOf } from '../licensing/release-fixture.ts';
import { type CustomerClient, customerClient } from '../storefront/customer-client.ts';
import type { PlacedShown } from '../storefront/shopper.ts';
import { openLicenseShop } from './license-shop.ts';

export type ShopperShop = Awaited<ReturnType<typeof openShopperShop>>;

/** A license as its customer's list has it. */
export interface CardShown {
  readonly id: string;
  readonly product: string;
  readonly key_masked: string;
  readonly status: string;
  readonly order_number: string;
  readonly activations_used: number;
}

/** Starts the shop. @param options of the application */
export async function openShopperShop(options: Parameters<typeof openLicenseShop>[0] = {}) {
  const shop = await openLicenseShop(options);
  const { app } = shop;
  const { secret } = await app.apiKey('VALIDATE_ONLY');

  /** A product with a key and two releases. */
  async function program(grant: Parameters<typeof shop.licensed>[0] = {}) {
    const made = await shop.licensed(grant);
    await register(app.ctx, made.licenseProduct, {
      publicKey: signingKeyOf().publicKey,
      seed: null,
      label: null,
    });
    const releases = [];
    for (const version of ['1.0.0', '2.0.0'])
      releases.push(
        await published(app.ctx, made.licenseProduct, version, { changelog: `About ${version}` }),
      );
    return { ...made, releases };
  }

  const checkout = (email: string) => {
    const { shipping_method_id: _none, ...order } = shop.order('fake', { email });
    return order;
  };
  /** An order of a customer, paid at once. */
  async function boughtBy(
    who: CustomerClient,
    variantId: string,
    quantity = 1,
  ): Promise<PlacedShown['order']> {
    await who.data('/api/store/cart/add', 'POST', { variant_id: variantId, quantity });
    return (await who.data<PlacedShown>('/api/store/checkout', 'POST', checkout(who.email))).order;
  }
  /** A customer with one license. */
  async function holder(variantId: string) {
    const who = await customerClient(app);
    const order = await boughtBy(who, variantId);
    const [card] = await who.data<CardShown[]>('/api/shop/licenses');
    if (!card) throw new Error('there is no license');
    return { who, order, card, key: await keyOf(app.ctx, card.id) };
  }
  const activate = (licenseKey: string, machineId: string, more: object = {}) =>
    app.post('/api/v1/license/activate', { licenseKey, machineId, ...more }, secret);
  const validate = (licenseKey: string, machineId: string) =>
    app.post('/api/v1/license/validate', { licenseKey, machineId }, secret);
  const fetched = (url: string, headers: Record<string, string> = {}, method = 'GET') =>
    app.send(`/api/shop/downloads/file/${new URL(url, app.url).pathname.split('/').at(-1)}`, {
      method,
      headers,
    });
  return { ...shop, program, checkout, boughtBy, holder, activate, validate, fetched };
}
