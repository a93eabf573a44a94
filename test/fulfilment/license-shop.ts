// A shop that sells licenses, and orders of them as shoppers make them.
import { setGrant } from '../../src/fulfilment/grants/index.ts';
import { type OrderShop, openOrderShop } from '../storefront/order-shop.ts';
import type { PlacedShown } from '../storefront/shopper.ts';
import { another } from '../storefront/store-client.ts';

type Grant = Parameters<typeof setGrant>[2];
export type LicenseShop = Awaited<ReturnType<typeof openLicenseShop>>;

/** Starts the shop. @param options of the application */
export async function openLicenseShop(options: Parameters<typeof openOrderShop>[0] = {}) {
  const shop: OrderShop = await openOrderShop(options);
  const { app, staff } = shop;

  /** A product of the shop that is sold with a license. @returns ids of both products and of the variant */
  async function licensed(grant: Partial<Grant> = {}, more: object = {}) {
    const licenseProduct = await app.product({ defaultMaxActivations: 2 });
    const number = another();
    const made = await staff.data('/products', 'POST', {
      title: `Editor ${number}`,
      type: 'license',
      variants: [{ sku: `EDIT-${number}`, price_cents: 4900 }],
      ...more,
    });
    const variantId = (made.variants as [{ id: string }])[0].id;
    await setGrant(app.ctx, variantId, {
      licenseProductId: licenseProduct.id,
      type: 'PERPETUAL',
      tier: 'PERSONAL',
      ...grant,
    });
    await staff.data(`/products/${made.id}/publish`, 'POST', {});
    return { variantId, productId: made.id, licenseProduct };
  }

  /** An order of so many units, paid at once. */
  async function bought(variantId: string, quantity = 1, processor = 'fake'): Promise<PlacedShown['order']> {
    const shopper = await shop.withCart(variantId, quantity);
    return (await shopper.data<PlacedShown>('/checkout', shop.order(processor))).order;
  }

  /** The rows of the licenses of an order, in the order of their units. */
  const mintsOf = (orderId: string) =>
    shop.knex()('license_mints').where({ order_id: orderId }).orderBy('unit_no') as Promise<Mint[]>;
  /** The licenses themselves. */
  const licensesOf = (orderNumber: string) =>
    shop.knex()('licenses').where({ order_id: orderNumber }).orderBy('created_at') as Promise<
      Record<string, string | number | null>[]
    >;
  return { ...shop, licensed, bought, mintsOf, licensesOf };
}

interface Mint {
  readonly id: string;
  readonly license_id: string | null;
  readonly unit_no: number;
  readonly status: string;
  readonly wanted: string;
  readonly reason: string | null;
  readonly error: string | null;
  readonly attempts: number;
  readonly next_attempt_at: string | null;
}
