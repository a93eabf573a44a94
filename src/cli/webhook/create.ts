import type { WebhookCreateInput } from '#platform/webhooks/index.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { headersAsked } from './headers.ts';
import { makeSecret } from './secret.ts';
import { type WebhookMade, withWebhooks } from './twin.ts';
import { webhookFlags } from './view.ts';

/** `appctl webhook create`. */
export async function createWebhook(cli: Cli): Promise<void> {
  const headers = await headersAsked(cli);
  const input: WebhookCreateInput = {
    url: cli.required('url'),
    ...(cli.given('name') && { name: cli.option('name') }),
    ...(cli.given('event') && { events: [...cli.list('event')] }),
    // The shop asks for a choice.
    ...(!cli.given('event') && cli.option('service') === 'store' && { events: ['*'] }),
    ...(cli.given('product') && { productIds: [...cli.list('product')] }),
    ...(headers && { headers }),
    redactEmail: cli.flag('redact-email'),
    enabled: !cli.flag('disabled'),
  };
  await withWebhooks(cli, async (desk) => {
    const webhook = await makeSecret(cli, async (own, options) => {
      const made = await namingFlags(webhookFlags(cli), () =>
        desk.post<WebhookMade>('webhooks', { ...input, ...own }, options),
      );
      if (made.warning !== null) cli.warn(made.warning);
      return made;
    });
    if (cli.dryRun) cli.note('dry run: nothing was changed');
    else cli.next(`appctl webhook test ${webhook.id}`);
  });
}
