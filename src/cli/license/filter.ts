import { addSeconds } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import * as policies from '#licensing/catalog/policies/index.ts';
import * as products from '#licensing/catalog/products/index.ts';
import type { LicenseFilter } from '#licensing/licenses/licenses/index.ts';
import type { Cli } from '../frame/context.ts';
import { refuseWholeKey } from './view.ts';

/**
 * The filter that the options of `license list` and `license export` describe.
 *
 * @throws AppError NOT_FOUND for an unknown product or policy; usage error (2) for a whole key in --q
 */
export async function filterAsked(cli: Cli, ctx: Ctx): Promise<LicenseFilter> {
  refuseWholeKey('--q', cli.option('q'));
  const [product, policy] = [cli.option('product'), cli.option('policy')];
  const [expiring, stale] = [cli.seconds('expiring'), cli.seconds('stale')];
  const now = ctx.now();
  return {
    productId: product === undefined ? undefined : (await products.get(ctx, product)).id,
    policyId: policy === undefined ? undefined : (await policies.get(ctx, policy)).id,
    // The choices of these options are those of the service.
    status: cli.option('status') as LicenseFilter['status'],
    type: cli.option('type') as LicenseFilter['type'],
    tier: cli.option('tier') as LicenseFilter['tier'],
    email: cli.option('email'),
    orderId: cli.option('order-id'),
    machineId: cli.option('machine'),
    expiringBefore: expiring === undefined ? undefined : addSeconds(now, expiring),
    staleBefore: stale === undefined ? undefined : addSeconds(now, -stale),
    q: cli.option('q'),
    trashed: cli.declares('trashed') && cli.flag('trashed'),
  };
}
