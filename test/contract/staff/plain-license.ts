// A license of a product of its own.
import type { Ctx } from '#kernel/context.ts';
import * as products from '#licensing/catalog/products/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';

let made = 0;

/** Makes a product and a license of it. */
export async function plainLicense(ctx: Ctx): Promise<{ id: string; productId: string }> {
  made += 1;
  const product = await products.create(ctx, { name: `Plain ${made}`, slug: `plain-${made}` });
  const input = { customerEmail: 'plain@x.test', productId: product.id } as licenses.AdminCreateInput;
  const { license } = await licenses.create(ctx, input, { source: 'CLI', idempotency: null });
  return { id: license.id, productId: product.id };
}
