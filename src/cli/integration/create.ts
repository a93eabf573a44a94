import type { Config } from '#kernel/config/config.ts';
import type { Ctx } from '#kernel/context.ts';
import type { IntegrationCreateInput, MadeIntegration } from '#licensing/purchases/integrations/index.ts';
import * as integrations from '#licensing/purchases/integrations/index.ts';
import { card } from '../card.ts';
import { changeOrPlan, planned } from '../change.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { withLocal } from '../open.ts';
import { keepingSecret, noteSecret, showsSecret } from '../secret-file.ts';
import { warnOfLocalAddress } from './address.ts';
import { processors } from './choices.ts';
import { integrationLines, viewsOf } from './view.ts';

/** Which flag stands for which field. */
export const integrationFlags = {
  name: '--name',
  processor: '--processor',
  signingSecret: 'the signing secret',
  notificationUrl: '--notification-url',
};

type Processor = IntegrationCreateInput['processor'];

/** `appctl integration create`. */
export async function createIntegration(cli: Cli): Promise<void> {
  const { config } = await cli.config();
  const processor = processors[cli.required('processor') as keyof typeof processors];
  const secret = await secretAsked(cli, processor === 'GENERIC');
  const input: IntegrationCreateInput = {
    processor,
    name: cli.option('name'),
    notificationUrl: cli.option('notification-url'),
    ...secret,
  };
  await withLocal(cli, async ({ ctx }) => {
    const made = await makeSecret(cli, ctx, config, (ctx) =>
      namingFlags(integrationFlags, () => integrations.create(ctx, input)),
    );
    if (secret.generateSecret) warnOfOwnSecret(cli, made);
    if (!cli.dryRun && !cli.json) tellWhatToDo(cli, config, made);
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

/** The secret of `--secret-file`, `--secret-stdin` or `--secret-env`; undefined without any. @throws usage error (2) */
export async function givenSecret(cli: Cli): Promise<string | undefined> {
  const given = await cli.secret('secret', { label: 'signing secret', optional: true });
  if (given?.value === '')
    throw usageError(`tried: ${given.tried}; a signing secret has 16 characters or more`);
  if (given !== undefined) refuseToShow(cli);
  return given?.value;
}

/**
 * Where no secret is made there is none to show: whoever waits for the file of --out would find none.
 *
 * @throws usage error (2)
 */
export function refuseToShow(cli: Cli): void {
  const flag = ['reveal', 'out', 'force'].find((name) => cli.given(name));
  if (flag !== undefined)
    throw usageError(`--${flag} shows a secret that is made here`, 'add --generate-secret, or leave it out');
}

/**
 * Makes or changes an integration, and shows a secret that was made here once (cli.md section 1.5): in the file of
 * --out, else on stdout with --json, with --reveal or at a terminal.
 */
export async function makeSecret(
  cli: Cli,
  ctx: Ctx,
  config: Config,
  work: (ctx: Ctx) => Promise<MadeIntegration>,
): Promise<MadeIntegration> {
  const [made, view] = await keepingSecret(cli, (keep) =>
    changeOrPlan(cli, ctx, (ctx) =>
      ctx.tx(async (ctx) => {
        const made = await work(ctx);
        if (made.secret !== undefined) keep(made.secret);
        return [made, (await viewsOf(ctx, config, [made.config]))[0]] as const;
      }),
    ),
  );
  const isShown = made.secret !== undefined && showsSecret(cli);
  const answer = { ...view, ...(isShown && { secret: made.secret }) };
  await cli.out.value(
    planned(cli, answer),
    card(integrationLines(answer as Parameters<typeof integrationLines>[0])),
  );
  if (made.secret !== undefined)
    noteSecret(cli, `appctl integration update ${made.config.id} --generate-secret --reveal`);
  return made;
}

function warnOfOwnSecret(cli: Cli, { config: { id, processor } }: MadeIntegration): void {
  if (processor === 'GENERIC') return;
  cli.warn(
    `${processor} makes its own signing secret; until you give it with appctl integration update ${id} --secret-stdin, its events are refused`,
  );
}

/** Where the URL and the secret are pasted, and which events are to be sent. */
const SETTING_UP: Record<Processor, string> = {
  STRIPE:
    'At the processor: Developers, Webhooks, add an endpoint with this url and the events checkout.session.completed, payment_intent.succeeded and charge.refunded.',
  SQUARE:
    'At the processor: Developer Console, Webhooks, add a subscription with this url and the event payment.completed.',
  GENERIC:
    'At the processor: send its events to this url, signed with the secret: X-Webhook-Signature is the hex HMAC-SHA256 of the body.',
};

function tellWhatToDo(cli: Cli, config: Config, { config: { id, processor } }: MadeIntegration): void {
  cli.note(SETTING_UP[processor as Processor]);
  warnOfLocalAddress(cli, config);
  cli.next(
    `appctl integration map ${id} --external PRODUCT_ID --product SLUG`,
    `appctl integration test ${id}`,
  );
}
