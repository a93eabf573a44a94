import { isoTime, systemClock } from '#kernel/clock.ts';
import { licenseWebhooks } from '#licensing/insight/webhooks/index.ts';
import type { Cli } from '../frame/context.ts';
import type { Column } from '../frame/rows.ts';
import { pageOf } from '../paging.ts';

interface EventView {
  event: string;
  description: string;
  default: boolean;
  example: Record<string, unknown>;
}

const columns: readonly Column<EventView>[] = [
  { key: 'event' },
  { key: 'default', text: (item) => (item.default ? 'yes' : 'no') },
  { key: 'description' },
];

/** `appctl webhook events`: the whole catalogue is one page. */
export async function listWebhookEvents(cli: Cli): Promise<void> {
  const timestamp = isoTime(systemClock.epochMs());
  const { events, defaultEvents } =
    cli.option('service') === 'store'
      ? (await import('#storefront/tools/webhooks/index.ts')).storeWebhooks
      : licenseWebhooks;
  const items = events.map(({ name, description, example }) => ({
    event: name,
    description,
    default: defaultEvents.includes('*') || defaultEvents.includes(name),
    example: { event: name, timestamp, data: example },
  }));
  await cli.out.page(pageOf({ page: 1, limit: items.length }, items, items.length), columns);
  cli.next('appctl webhook events --json shows what each of them sends');
}
