import type { AdminTokenView } from '#platform/admin-tokens/view.ts';
import type { Desk } from '../desk/desk.ts';
import { withDesk } from '../desk/open.ts';
import { twinsOf } from '../desk/resource.ts';
import type { Cli } from '../frame/context.ts';

/** An admin token as an operation answers it. */
export interface OneAdminToken {
  readonly adminToken: AdminTokenView;
}

const twins = twinsOf(async () => {
  const [tokens, products] = await Promise.all([
    import('#platform/admin-tokens/resource.ts'),
    import('#licensing/catalog/products/resource.ts'),
  ]);
  return [tokens.adminTokenResource, products.productResource];
});

/** Opens the desk of a command about admin tokens. Throws as withDesk does. */
export const withTokens = <T>(cli: Cli, work: (desk: Desk) => Promise<T>): Promise<T> =>
  withDesk(cli, twins, work);
