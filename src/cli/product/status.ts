import type { ProductView } from '#licensing/catalog/products/view.ts';
import { noteChange, planned } from '../change.ts';
import { at } from '../desk/desk.ts';
import type { Cli } from '../frame/context.ts';
import type { Action } from '../frame/spec.ts';
import { type OneProduct, productOf, withProducts } from './twin.ts';
import { writeProduct } from './write.ts';

const statusOf = {
  deprecate: 'DEPRECATED',
  discontinue: 'DISCONTINUED',
  activate: 'ACTIVE',
} as const satisfies Record<string, ProductView['status']>;

/** The action of `appctl product deprecate|discontinue|activate PRODUCT`. */
export const statusAction =
  (verb: keyof typeof statusOf): Action =>
  (cli) =>
    withProducts(cli, async (desk) => {
      const path = at`products/${cli.argument('product')}/status`;
      const { product } = await desk.post<OneProduct>(path, { status: statusOf[verb] });
      await writeProduct(cli, planned(cli, product));
      noteChange(cli, `${product.slug} is ${product.status}`);
    });

/** `appctl product delete PRODUCT`; the answer is the product that is gone. */
export function deleteProduct(cli: Cli): Promise<void> {
  return withProducts(cli, async (desk) => {
    const product = await productOf(desk, cli.argument('product'));
    await cli.confirm({
      action: `delete the product ${product.slug} and its signing keys`,
      name: product.slug,
    });
    await desk.delete(at`products/${product.id}`);
    await writeProduct(cli, planned(cli, product));
    noteChange(cli, `deleted ${product.slug}`);
  });
}
