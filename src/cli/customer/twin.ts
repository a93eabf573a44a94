import type { CustomerView } from '#licensing/catalog/customers/view.ts';
import { at, type Desk } from '../desk/desk.ts';
import { withDesk } from '../desk/open.ts';
import { twinsOf } from '../desk/resource.ts';
import type { Cli } from '../frame/context.ts';

/** A customer as an operation answers it. */
export interface OneCustomer {
  readonly customer: CustomerView;
}

const twins = twinsOf(async () => [
  (await import('#licensing/licenses/holders/resource.ts')).customerResource,
]);

/** Opens the desk of a command about customers. Throws as withDesk does. */
export const withCustomers = <T>(cli: Cli, work: (desk: Desk) => Promise<T>): Promise<T> =>
  withDesk(cli, twins, work);

/** Reads a customer by address or id. */
export const customerOf = async (desk: Desk, name: string): Promise<CustomerView> =>
  (await desk.get<OneCustomer>(at`customers/${name}`)).customer;
