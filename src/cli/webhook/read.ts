import type { Page } from '#kernel/service/pagination.ts';
import type { Cli } from '../frame/context.ts';
import type { Column } from '../frame/rows.ts';
import { pageAsked } from '../paging.ts';
import type { Webhook } from './answers.ts';
import { webhookOf, withWebhook, withWebhooks } from './twin.ts';
import { outcomesOf, stateOf, writeWebhook } from './view.ts';

const columns: readonly Column<Webhook>[] = [
  { key: 'id' },
  { key: 'name' },
  { key: 'url' },
  {
    key: 'events',
    text: ({ events }) => (events.length > 2 ? `${events.length} events` : events.join(', ')),
  },
  { key: 'enabled', title: 'state', text: stateOf },
  { key: 'last24Hours', title: 'last 24 h', text: outcomesOf },
  { key: 'lastDeliveryAt', title: 'last event', time: true },
  { key: 'lastSuccessAt', title: 'last success', time: true },
  { key: 'disabledReason', title: 'reason' },
];

/** `appctl webhook list`. */
export function listWebhooks(cli: Cli): Promise<void> {
  return withWebhooks(cli, async (desk) => {
    const state = cli.option('state');
    const enabled = state === undefined ? undefined : state === 'enabled';
    const page = await desk.get<Page<Webhook>>('webhooks', { ...pageAsked(cli), enabled });
    await cli.out.page(page, columns, state === undefined ? 'no webhooks yet' : undefined);
    if (page.pagination.total === 0 && state === undefined)
      cli.next(
        `appctl webhook create --service ${cli.option('service') ?? 'license'} --url https://example.com/hooks --reveal`,
      );
  });
}

/** `appctl webhook show ID`. */
export function showWebhook(cli: Cli): Promise<void> {
  return withWebhook(cli, cli.argument('id'), async (desk) => {
    const webhook = await webhookOf(desk, cli.argument('id'));
    await writeWebhook(cli, webhook);
    if (webhook.enabled) cli.next(`appctl webhook deliveries ${webhook.id}`);
    else cli.next(`appctl webhook test ${webhook.id}`, `appctl webhook enable ${webhook.id}`);
  });
}
