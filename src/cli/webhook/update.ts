import { licenseWebhooks } from '#licensing/insight/webhooks/index.ts';
import * as webhooks from '#platform/webhooks/index.ts';
import { noteChange } from '../change.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { withLocal } from '../open.ts';
import { headersAsked } from './headers.ts';
import { webhookFlags, writeWebhook } from './view.ts';

/** `appctl webhook update ID`. */
export async function updateWebhook(cli: Cli): Promise<void> {
  const input = await changesAsked(cli);
  await withLocal(cli, async ({ ctx }) => {
    const { webhook, warning } = await namingFlags(webhookFlags(cli), () =>
      webhooks.update(ctx, licenseWebhooks, cli.argument('id'), input, { dryRun: cli.dryRun }),
    );
    if (warning !== null) cli.warn(warning);
    await writeWebhook(cli, webhook);
    noteChange(cli, `changed ${Object.keys(input).join(', ')} of ${webhook.name}`);
  });
}

async function changesAsked(cli: Cli): Promise<webhooks.WebhookUpdateInput> {
  const cleared = new Set(cli.list('clear'));
  for (const field of cleared) {
    const flags = field === 'headers' ? ['headers-file', 'headers-stdin', 'headers-env'] : [field];
    const given = flags.find((flag) => cli.given(flag));
    if (given !== undefined) throw usageError(`--clear ${field} and --${given} exclude each other`);
  }
  const headers = await headersAsked(cli);
  const input: webhooks.WebhookUpdateInput = {
    ...(cli.given('url') && { url: cli.option('url') }),
    ...(cli.given('name') && { name: cli.option('name') }),
    ...(cli.given('event') && { events: [...cli.list('event')] }),
    ...(cleared.has('event') && { events: [...licenseWebhooks.defaultEvents] }),
    ...(cli.given('product') && { productIds: [...cli.list('product')] }),
    ...(cleared.has('product') && { productIds: null }),
    ...(cli.given('redact-email') && { redactEmail: cli.option('redact-email') === 'yes' }),
    ...(headers && { headers }),
    ...(cleared.has('headers') && { headers: null }),
  };
  if (Object.keys(input).length > 0) return input;
  throw usageError('nothing to change', 'appctl webhook update --help');
}
