import * as licenses from '#licensing/licenses/licenses/index.ts';
import type { OrdersNamed } from '#storefront/contract/extensions.ts';
import { ordersOfLicenses } from './queries.ts';

/** Orders by a license key of theirs, whole or by the part that is shown of it. */
export const ordersByKey: OrdersNamed = async (ctx, text) =>
  ordersOfLicenses(ctx, await licenses.idsByKey(ctx, text));
