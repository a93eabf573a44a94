import type { ProductView } from '#licensing/catalog/products/view.ts';
import { at, type Desk } from '../desk/desk.ts';
import { withDesk } from '../desk/open.ts';
import { twinsOf } from '../desk/resource.ts';
import type { Cli } from '../frame/context.ts';

/** A product as an operation answers it. */
export interface OneProduct {
  readonly product: ProductView;
}

const twins = twinsOf(async () => [
  (await import('#licensing/catalog/products/resource.ts')).productResource,
]);

/** Opens the desk of a command about products. Throws as withDesk does. */
export const withProducts = <T>(cli: Cli, work: (desk: Desk) => Promise<T>): Promise<T> =>
  withDesk(cli, twins, work);

/** Reads a product by its slug or id. */
export const productOf = async (desk: Desk, name: string): Promise<ProductView> =>
  (await desk.get<OneProduct>(at`products/${name}`)).product;
