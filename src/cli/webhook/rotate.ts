import { licenseWebhooks } from '#licensing/insight/webhooks/index.ts';
import * as webhooks from '#platform/webhooks/index.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { withLocal } from '../open.ts';
import { makeSecret } from './secret.ts';
import { webhookFlags } from './view.ts';

/** `appctl webhook rotate-secret ID`. */
export function rotateWebhookSecret(cli: Cli): Promise<void> {
  return withLocal(cli, async ({ ctx }) => {
    const id = cli.argument('id');
    const before = await webhooks.get(ctx, licenseWebhooks, id);
    await makeSecret(
      cli,
      (options) =>
        namingFlags(webhookFlags(cli), () => webhooks.rotateSecret(ctx, licenseWebhooks, id, options)),
      () => `appctl webhook rotate-secret ${id} --out FILE`,
    );
    if (before.previousUntil !== null)
      cli.warn('the secret before the last one signs no more: only the last two do');
    if (cli.dryRun) cli.note('dry run: nothing was changed');
    else if (!cli.json) cli.note('The old secret signs for 24 hours more, as X-Webhook-Signature-Previous.');
  });
}
