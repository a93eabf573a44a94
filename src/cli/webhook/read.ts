import { licenseWebhooks } from '#licensing/insight/webhooks/index.ts';
import * as webhooks from '#platform/webhooks/index.ts';
import type { Cli } from '../frame/context.ts';
import type { Column } from '../frame/rows.ts';
import { withLocal } from '../open.ts';
import { pageAsked, pageOf } from '../paging.ts';
import { stateOf, type WebhookView, webhookView, writeWebhook } from './view.ts';

const columns: readonly Column<WebhookView>[] = [
  { key: 'id' },
  { key: 'name' },
  { key: 'url' },
  {
    key: 'events',
    text: ({ events }) => (events.length > 2 ? `${events.length} events` : events.join(', ')),
  },
  { key: 'enabled', title: 'state', text: stateOf },
  { key: 'disabledReason', title: 'reason' },
];

/** `appctl webhook list`. */
export function listWebhooks(cli: Cli): Promise<void> {
  return withLocal(cli, async ({ ctx }) => {
    const asked = pageAsked(cli);
    const state = cli.option('state');
    const { items, total } = await webhooks.list(ctx, licenseWebhooks, {
      enabled: state === undefined ? undefined : state === 'enabled',
      offset: (asked.page - 1) * asked.limit,
      limit: asked.limit,
    });
    await cli.out.page(pageOf(asked, items.map(webhookView), total), columns);
    if (total === 0 && state === undefined)
      cli.next('appctl webhook create --service license --url https://example.com/hooks --reveal');
  });
}

/** `appctl webhook show ID`. */
export function showWebhook(cli: Cli): Promise<void> {
  return withLocal(cli, async ({ ctx }) => {
    const webhook = await webhooks.get(ctx, licenseWebhooks, cli.argument('id'));
    await writeWebhook(cli, webhook);
    if (webhook.enabled) cli.next(`appctl webhook deliveries ${webhook.id}`);
    else cli.next(`appctl webhook test ${webhook.id}`, `appctl webhook enable ${webhook.id}`);
  });
}
