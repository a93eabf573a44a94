import * as products from '#licensing/catalog/products/index.ts';
import { type ProductView, productView } from '#licensing/catalog/products/view.ts';
import { changeOrPlan, noteChange, planned } from '../change.ts';
import type { Cli } from '../frame/context.ts';
import type { Action } from '../frame/spec.ts';
import { withLocal } from '../open.ts';
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
    withLocal(cli, async ({ ctx }) => {
      const product = await changeOrPlan(cli, ctx, (ctx) =>
        products.setStatus(ctx, cli.argument('product'), statusOf[verb]),
      );
      await writeProduct(cli, planned(cli, productView(product)));
      noteChange(cli, `${product.slug} is ${product.status}`);
    });

/** `appctl product delete PRODUCT`; the answer is the product that is gone. */
export function deleteProduct(cli: Cli): Promise<void> {
  return withLocal(cli, async ({ ctx }) => {
    const product = await products.get(ctx, cli.argument('product'));
    await cli.confirm({
      action: `delete the product ${product.slug} and its signing keys`,
      name: product.slug,
    });
    await changeOrPlan(cli, ctx, (ctx) => products.remove(ctx, product.id));
    await writeProduct(cli, planned(cli, productView(product)));
    noteChange(cli, `deleted ${product.slug}`);
  });
}
