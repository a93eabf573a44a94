import type { ProductView } from '#licensing/catalog/products/view.ts';
import { card, titleOf } from '../card.ts';
import type { Cli } from '../frame/context.ts';

/** Writes a product as the answer; for a person its switches say yes or no. */
export const writeProduct = (cli: Cli, product: ProductView): Promise<void> =>
  cli.out.value(
    product,
    card(
      Object.entries(product).map(([field, value]) => [
        titleOf(field),
        typeof value === 'boolean' ? (value ? 'yes' : 'no') : value,
      ]),
    ),
  );
