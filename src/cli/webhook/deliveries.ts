import type { z } from 'zod';
import type { Pagination as Paging } from '#kernel/service/pagination.ts';
import { licenseWebhooks } from '#licensing/insight/webhooks/index.ts';
import { storeWebhooks } from '#storefront/tools/webhooks/index.ts';
import { at, type Desk, timeAt } from '../desk/desk.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import type { Column } from '../frame/rows.ts';
import { pageAsked } from '../paging.ts';
import { pastAsked } from '../time-asked.ts';
import type { Delivery } from './answers.ts';
import { writeDelivery } from './delivery-text.ts';
import { deliveryOf, withDelivery, withWebhook } from './twin.ts';
import { type DeliveryView, deliveryView } from './view.ts';

type Pagination = z.output<typeof Paging>;

const columns: readonly Column<DeliveryView>[] = [
  { key: 'id' },
  { key: 'event', text: ({ event, isTest }) => (isTest ? `${event} (test)` : event) },
  { key: 'state' },
  { key: 'attempts', text: attemptsText },
  { key: 'createdAt', title: 'time', time: true },
  { key: 'nextAttemptAt', title: 'next attempt', time: true },
];

/** `2: 503 in 41 ms`: how many of the current run, and how the last one went. */
function attemptsText({ attempts, run }: DeliveryView): string {
  const own = attempts.filter((attempt) => attempt.run === run);
  const last = own.at(-1);
  if (last === undefined) return '0';
  const result = last.httpStatus === null ? (last.error ?? 'no answer') : String(last.httpStatus);
  return `${own.length}: ${result} in ${last.ms} ms${run > 0 ? ' (sent again)' : ''}`;
}

/** `appctl webhook deliveries ID`. */
export function listDeliveries(cli: Cli): Promise<void> {
  return withWebhook(cli, cli.argument('id'), async (desk) => {
    const { events, ...range } = rangeAsked(cli, desk);
    const query = {
      ...pageAsked(cli),
      ...range,
      event: events.length > 0 ? events : undefined,
      state: cli.given('state') ? cli.list('state') : undefined,
      details: true,
    };
    const path = at`webhooks/${cli.argument('id')}/deliveries`;
    const { items, pagination } = await desk.get<{ items: Delivery[]; pagination: Pagination }>(path, query);
    await cli.out.page({ items: items.map(deliveryView), pagination }, columns);
    const failed = items.find(({ state }) => state === 'FAILED');
    if (failed) cli.next(`appctl webhook deliveries show ${failed.id}`);
  });
}

/** `appctl webhook deliveries show DELIVERY`. */
export function showDelivery(cli: Cli): Promise<void> {
  return withDelivery(cli, cli.argument('delivery'), async (desk) => {
    const delivery = await deliveryOf(desk, cli.argument('delivery'));
    await writeDelivery(cli, delivery);
    if (delivery.state !== 'PENDING' && !delivery.isTest) cli.next(`appctl webhook replay ${delivery.id}`);
  });
}

/**
 * The events and times of `--event`, `--since` and `--until`.
 *
 * @throws usage error (2)
 */
export function rangeAsked(cli: Cli, desk: Desk): { events: string[]; from?: string; to?: string } {
  const from = pastAsked(cli, 'since', timeAt(desk), 'start');
  const to = pastAsked(cli, 'until', timeAt(desk), 'end');
  if (from !== undefined && to !== undefined && from >= to)
    throw usageError('--since must be before --until');
  const events = [...cli.list('event')];
  const known = [licenseWebhooks, storeWebhooks].flatMap(({ events, testEvent }) => [
    testEvent,
    ...events.map(({ name }) => name),
  ]);
  const unknown = events.find((event) => !known.includes(event));
  if (unknown !== undefined)
    throw usageError(`--event '${unknown}' is not an event`, 'appctl webhook events lists them');
  return { events, ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
}
