// Pages that licenses make longer, for Lighthouse: the product with its terms and releases, and a license in the account.
import { setGrant } from '../../src/fulfilment/grants/index.ts';
import { published, signedProduct } from '../licensing/release-fixture.ts';
import { customerClient } from '../storefront/customer-client.ts';
import { openHttpClient } from '../support/http-client.ts';
import { type Installation, withInstance } from './seed.ts';
import { staffOf } from './shop-orders.ts';

/** A customer with a license that opens three releases and runs on two machines. */
export async function licensedPages(installation: Installation, url: string) {
  const { ask } = await staffOf(installation, url, 'bench-licensed-pages');
  const variant = { sku: 'LICENSED-PAGE', price_cents: 0, requires_shipping: false };
  const text = 'Edits what others only show, on two machines at once. '.repeat(8);
  const { slug, variants } = (await ask('POST', '/products', {
    title: 'Editor Pro',
    description: text,
    type: 'digital',
    status: 'active',
    variants: [variant],
  })) as { slug?: string; variants: { id: string }[] };
  const variantId = variants[0]?.id ?? '';
  return withInstance(installation.dataDir, installation.databaseUrl, async ({ ctx }) => {
    const product = await signedProduct(ctx, 'bench-editor', { defaultMaxActivations: 2 });
    for (const version of ['1.0.0', '1.1.0', '2.0.0'])
      await published(ctx, product, version, { changelog: `What is new in ${version}: ${text}` });
    await setGrant(ctx, variantId, { licenseProductId: product.id, type: 'PERPETUAL', tier: 'PERSONAL' });
    const { send, close } = openHttpClient(url);
    const who = await customerClient({ ctx, send } as Parameters<typeof customerClient>[0], {
      email: 'holder@example.test',
    });
    await who.data('/api/store/cart/add', 'POST', { variant_id: variantId, quantity: 1 });
    await who.data('/api/store/checkout', 'POST', { email: who.email });
    const [license] = await who.data<{ id: string }[]>('/api/shop/licenses');
    close();
    const cookie = [...who.browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    return { product: `/shop/products/${slug}`, license: `/shop/account/licenses/${license?.id}`, cookie };
  });
}
