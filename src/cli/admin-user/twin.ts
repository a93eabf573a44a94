import type { StaffView } from '#platform/accounts/view.ts';
import { at, type Desk } from '../desk/desk.ts';
import { withDesk } from '../desk/open.ts';
import { twinsOf } from '../desk/resource.ts';
import type { Cli } from '../frame/context.ts';

/** An account as an operation answers it. */
export interface OneUser {
  readonly user: StaffView;
}

/** A link that opens an account once. */
export interface Link {
  readonly url: string;
  readonly expiresAt: string;
}

const twins = twinsOf(async () => [(await import('#platform/accounts/resource.ts')).staffResource]);
const twinsOfRights = twinsOf(async () => {
  const [users, products] = await Promise.all([
    import('#platform/accounts/resource.ts'),
    import('#licensing/catalog/products/resource.ts'),
  ]);
  return [users.staffResource, products.productResource];
});

/** Opens the desk of a command about accounts. Throws as withDesk does. */
export const withUsers = <T>(cli: Cli, work: (desk: Desk) => Promise<T>): Promise<T> =>
  withDesk(cli, twins, work);

/** As withUsers, for what names products. */
export const withRights = <T>(cli: Cli, work: (desk: Desk) => Promise<T>): Promise<T> =>
  withDesk(cli, twinsOfRights, work);

/** Reads the account that the command names by its address or id. */
export const userAsked = async (cli: Cli, desk: Desk): Promise<StaffView> =>
  (await desk.get<OneUser>(at`users/${cli.argument('user')}`)).user;
