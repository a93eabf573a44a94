import { type Twins, withDesk } from './desk/open.ts';
import { twinsOf } from './desk/resource.ts';
import type { Cli } from './frame/context.ts';
import type { Completer } from './frame/spec.ts';
import type { DeskPage } from './paging.ts';

/** More would not be read on a key press. */
const MOST = 500;

/**
 * Completes by a field of the items of a list, at the desk that the line names.
 *
 * @param list path of the list below `/api/v1/admin/`
 */
export const completing =
  (twins: Twins, list: string, field: string): Completer =>
  (cli: Cli) =>
    withDesk(cli, twins, async (desk) => {
      const { items } = await desk.get<DeskPage<Record<string, string>>>(list, { limit: MOST });
      return items.map((item) => String(item[field]));
    });

/** Slugs of the products. */
export const completeProducts = completing(
  twinsOf(async () => [(await import('#licensing/catalog/products/resource.ts')).productResource]),
  'products',
  'slug',
);

/** Names of the policies. */
export const completePolicies = completing(
  twinsOf(async () => [(await import('#licensing/insight/policies/resource.ts')).policyResource]),
  'policies',
  'name',
);

/** Names of the key formats. */
export const completeKeyFormats = completing(
  twinsOf(async () => [(await import('#licensing/catalog/key-formats/resource.ts')).keyFormatResource]),
  'key-formats',
  'name',
);
