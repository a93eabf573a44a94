import type { IntegrationCreateInput } from '#licensing/purchases/integrations/index.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { warnOfLocalAddress } from './address.ts';
import { processors } from './choices.ts';
import { givenSecret, integrationFlags, type MadeIntegration, makeSecret, refuseToShow } from './secret.ts';
import { withIntegrations } from './twin.ts';
import type { PlainIntegration } from './view.ts';

type Processor = IntegrationCreateInput['processor'];

/** `appctl integration create`. */
export async function createIntegration(cli: Cli): Promise<void> {
  const processor = processors[cli.required('processor') as keyof typeof processors];
  const secret = await secretAsked(cli, processor === 'GENERIC');
  const input: IntegrationCreateInput = {
    processor,
    name: cli.option('name'),
    notificationUrl: cli.option('notification-url'),
    ...secret,
  };
  await withIntegrations(cli, async (desk) => {
    const made = await makeSecret(cli, {
      isMadeHere: secret.generateSecret === true,
      mappings: [],
      make: (options) =>
        namingFlags(integrationFlags, () => desk.post<MadeIntegration>('integrations', input, options)),
    });
    if (secret.generateSecret) warnOfOwnSecret(cli, made);
    if (!cli.dryRun && !cli.json) tellWhatToDo(cli, made);
  });
}

/**
 * The secret that the line gives or asks for. A generic processor signs with whatever it is given, so one is made for
 * it; the others have one of their own, which is asked for.
 *
 * @param mayBeMade whether nothing at all stands for a new secret
 */
async function secretAsked(
  cli: Cli,
  mayBeMade: boolean,
): Promise<{ signingSecret?: string; generateSecret?: true }> {
  const label = 'signing secret';
  const given = await givenSecret(cli);
  if (given !== undefined) return { signingSecret: given };
  if (cli.flag('generate-secret') || mayBeMade) return { generateSecret: true };
  refuseToShow(cli);
  return { signingSecret: (await cli.secret('secret', { label })).value };
}

function warnOfOwnSecret(cli: Cli, { id, processor }: PlainIntegration): void {
  if (processor === 'GENERIC') return;
  cli.warn(
    `${processor} creates its own signing secret; until you store it with appctl integration update ${id} --secret-stdin, its events are refused`,
  );
}

/** Where the URL and the secret are pasted, and which events are to be sent. */
const SETTING_UP: Record<Processor, string> = {
  STRIPE:
    'At the processor: open Developers, Webhooks and add an endpoint with this URL and the events checkout.session.completed, payment_intent.succeeded and charge.refunded.',
  SQUARE:
    'At the processor: open Developer Console, Webhooks and add a subscription with this URL and the event payment.completed.',
  GENERIC:
    'At the processor: send its events to this URL, signed with the secret: X-Webhook-Signature is the hex HMAC-SHA256 of the body.',
};

function tellWhatToDo(cli: Cli, { id, processor, url }: PlainIntegration): void {
  cli.note(SETTING_UP[processor as Processor]);
  warnOfLocalAddress(cli, url);
  cli.next(
    `appctl integration map ${id} --external PRODUCT_ID --product SLUG`,
    `appctl integration test ${id}`,
  );
}
