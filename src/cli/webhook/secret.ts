import type { ChangeOptions } from '../desk/desk.ts';
import type { Cli } from '../frame/context.ts';
import { keepingSecret, noteSecret, requireShownSecret, showsSecret } from '../secret-file.ts';
import type { Webhook } from './answers.ts';
import { writeWebhook } from './view.ts';

/** Calls the operation that makes the secret, with the own one where there is one. */
type Make = (
  own: { secret?: string },
  options: ChangeOptions,
) => Promise<{ webhook: Webhook; signingSecret: string }>;

/**
 * Makes a webhook or its new secret and shows the secret once (cli.md section 1.5): in the file of --out, else on stdout
 * with --json, with --reveal or at a terminal. An own secret is known already and never printed.
 *
 * @throws usage error (2) when nobody would see the secret
 */
export async function makeSecret(cli: Cli, make: Make): Promise<Webhook> {
  const own = await cli.secret('secret', { label: 'signing secret', optional: true });
  if (own === undefined) requireShownSecret(cli);
  const { webhook, signingSecret } = await keepingSecret(cli, (keep) =>
    make(own === undefined ? {} : { secret: own.value }, { secret: { name: 'signingSecret', keep } }),
  );
  const isShown = own === undefined && showsSecret(cli);
  await writeWebhook(cli, webhook, isShown ? { secret: signingSecret } : {});
  if (own === undefined) noteSecret(cli);
  return webhook;
}
