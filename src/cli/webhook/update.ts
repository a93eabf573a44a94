import { licenseWebhooks } from '#licensing/insight/webhooks/index.ts';
import type { WebhookUpdateInput } from '#platform/webhooks/index.ts';
import { noteChange } from '../change.ts';
import { at, type Desk } from '../desk/desk.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { headersAsked } from './headers.ts';
import { type WebhookChanged, webhookOf, withWebhook } from './twin.ts';
import { webhookFlags, writeWebhook } from './view.ts';

/** `appctl webhook update ID`. */
export async function updateWebhook(cli: Cli): Promise<void> {
  const given = await changesAsked(cli);
  await withWebhook(cli, cli.argument('id'), async (desk) => {
    const input = await settled(cli, desk, given);
    const { webhook, warning } = await namingFlags(webhookFlags(cli), () =>
      desk.patch<WebhookChanged>(at`webhooks/${cli.argument('id')}`, input),
    );
    if (warning !== null) cli.warn(warning);
    await writeWebhook(cli, webhook);
    noteChange(cli, `changed ${Object.keys(input).join(', ')} of ${webhook.name}`);
  });
}

/** The default events are those of the service that the webhook belongs to. */
async function settled(cli: Cli, desk: Desk, input: WebhookUpdateInput): Promise<WebhookUpdateInput> {
  if (!cli.list('clear').includes('event')) return input;
  const { service } = await webhookOf(desk, cli.argument('id'));
  return { ...input, events: service === 'store' ? ['*'] : [...licenseWebhooks.defaultEvents] };
}

async function changesAsked(cli: Cli): Promise<WebhookUpdateInput> {
  const cleared = new Set(cli.list('clear'));
  for (const field of cleared) {
    const flags = field === 'headers' ? ['headers-file', 'headers-stdin', 'headers-env'] : [field];
    const given = flags.find((flag) => cli.given(flag));
    if (given !== undefined) throw usageError(`--clear ${field} and --${given} cannot be used together`);
  }
  const headers = await headersAsked(cli);
  const input: WebhookUpdateInput = {
    ...(cli.given('url') && { url: cli.option('url') }),
    ...(cli.given('name') && { name: cli.option('name') }),
    ...(cli.given('event') && { events: [...cli.list('event')] }),
    ...(cli.given('product') && { productIds: [...cli.list('product')] }),
    ...(cleared.has('product') && { productIds: null }),
    ...(cli.given('redact-email') && { redactEmail: cli.option('redact-email') === 'yes' }),
    ...(headers && { headers }),
    ...(cleared.has('headers') && { headers: null }),
  };
  if (Object.keys(input).length > 0 || cleared.has('event')) return input;
  throw usageError('nothing to change', 'appctl webhook update --help');
}
