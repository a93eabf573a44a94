import { at } from '../desk/desk.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { makeSecret } from './secret.ts';
import { type SecretRotated, webhookOf, withWebhook } from './twin.ts';
import { webhookFlags } from './view.ts';

/** `appctl webhook rotate-secret ID`. */
export function rotateWebhookSecret(cli: Cli): Promise<void> {
  return withWebhook(cli, cli.argument('id'), async (desk) => {
    const id = cli.argument('id');
    const before = await webhookOf(desk, id);
    await makeSecret(cli, (own, options) =>
      namingFlags(webhookFlags(cli), () =>
        desk.post<SecretRotated>(at`webhooks/${id}/rotate-secret`, own, options),
      ),
    );
    if (before.previousSecretUntil !== null)
      cli.warn('the oldest secret no longer signs: only the last two do');
    if (cli.dryRun) cli.note('dry run: nothing was changed');
    else if (!cli.json)
      cli.note('The old secret keeps signing for 24 hours, in X-Webhook-Signature-Previous.');
  });
}
