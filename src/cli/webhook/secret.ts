import type * as webhooks from '#platform/webhooks/index.ts';
import type { Webhook } from '#platform/webhooks/index.ts';
import type { Cli } from '../frame/context.ts';
import { secretFileAsked, writeSecretFile } from '../secret-file.ts';
import { writeWebhook } from './view.ts';

/** What a use case is given for the secret, and what it answers with. */
type Make = (options: webhooks.CreateOptions) => Promise<{ webhook: Webhook; signingSecret: string }>;

/**
 * Makes a webhook or its new secret and shows the secret once (cli.md section 1.5): in the file of --out, else on stdout
 * with --json or --reveal. An own secret is known already and never printed.
 *
 * @param cure the command that helps who did not see the secret
 */
export async function makeSecret(cli: Cli, make: Make, cure: (webhook: Webhook) => string): Promise<Webhook> {
  const own = await cli.secret('secret', { label: 'signing secret', optional: true });
  const file = secretFileAsked(cli);
  const { webhook, signingSecret } = await make({
    secret: own?.value,
    dryRun: cli.dryRun,
    // Inside the transaction: a secret that could not be written leaves nothing behind.
    keep: file === undefined ? undefined : (secret) => writeSecretFile(cli, file, secret),
  });
  const mayShow = !cli.dryRun && own === undefined;
  const shown = mayShow && (cli.flag('reveal') || (cli.json && file === undefined));
  await writeWebhook(cli, webhook, shown ? { secret: signingSecret } : {});
  if (cli.json || cli.dryRun) return webhook;
  if (mayShow && !shown && file === undefined) {
    cli.note(
      'The secret is shown once, and only with --reveal, --json or --out FILE; it cannot be read again.',
    );
    cli.next(cure(webhook));
  }
  return webhook;
}
