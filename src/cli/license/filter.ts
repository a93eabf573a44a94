import { addSeconds, isoTime, systemClock } from '#kernel/clock.ts';
import type { Desk, Query } from '../desk/desk.ts';
import type { Cli } from '../frame/context.ts';
import { refuseWholeKey } from './view.ts';

/** Flags that stand for parameters of the list. */
export const filterFlags = {
  productId: '--product',
  policyId: '--policy',
  status: '--status',
  type: '--type',
  tier: '--tier',
  email: '--email',
  orderId: '--order-id',
  machineId: '--machine',
  expiringBefore: '--expiring',
  staleBefore: '--stale',
  q: '--q',
};

/**
 * The filters that the options of `license list` and `license export` describe.
 *
 * @throws usage error (2) for a whole key in --q
 */
export function filterAsked(cli: Cli, desk: Desk): Query {
  refuseWholeKey('--q', cli.option('q'));
  const [expiring, stale] = [cli.seconds('expiring'), cli.seconds('stale')];
  const now = desk.local?.ctx.now() ?? isoTime(systemClock.epochMs());
  return {
    productId: cli.option('product'),
    policyId: cli.option('policy'),
    status: cli.option('status'),
    type: cli.option('type'),
    tier: cli.option('tier'),
    email: cli.option('email'),
    orderId: cli.option('order-id'),
    machineId: cli.option('machine'),
    expiringBefore: expiring === undefined ? undefined : addSeconds(now, expiring),
    staleBefore: stale === undefined ? undefined : addSeconds(now, -stale),
    // An empty one looks for nothing.
    q: cli.option('q') || undefined,
    deleted: cli.declares('trashed') && cli.flag('trashed') ? 'true' : undefined,
  };
}
