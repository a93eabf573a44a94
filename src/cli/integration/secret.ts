import { card } from '../card.ts';
import { planned } from '../change.ts';
import type { ChangeOptions } from '../desk/desk.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { keepingSecret, noteSecret, requireShownSecret, showsSecret } from '../secret-file.ts';
import { type DeskIntegration, integrationLines, integrationView, type PlainIntegration } from './view.ts';

/** Which flag stands for which field. */
export const integrationFlags = {
  name: '--name',
  processor: '--processor',
  signingSecret: 'the signing secret',
  notificationUrl: '--notification-url',
};

/** What a change answers: with the secret, when it was made there. */
export interface MadeIntegration {
  readonly integration: PlainIntegration;
  readonly signingSecret?: string;
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
    throw usageError(`--${flag} shows a generated secret`, 'add --generate-secret, or leave it out');
}

interface Making {
  /** The secret is made by the operation. */
  readonly isMadeHere: boolean;
  /** What the integration sells, which no such change touches. */
  readonly mappings: DeskIntegration['mappings'];
  /** Calls the operation with the options that it gets. */
  make(options: ChangeOptions): Promise<MadeIntegration>;
}

/**
 * Makes or changes an integration, and shows a secret that was made for it once (cli.md section 1.5): in the file of
 * --out, else on stdout with --json, with --reveal or at a terminal.
 *
 * @throws usage error (2) when nobody would see a secret that is made
 */
export async function makeSecret(
  cli: Cli,
  { isMadeHere, mappings, make }: Making,
): Promise<PlainIntegration> {
  if (isMadeHere) requireShownSecret(cli);
  const { integration, signingSecret } = await keepingSecret(cli, (keep) =>
    make(isMadeHere ? { secret: { name: 'signingSecret', keep } } : {}),
  );
  const view = integrationView({ ...integration, mappings });
  const answer = {
    ...view,
    ...(signingSecret !== undefined && showsSecret(cli) && { secret: signingSecret }),
  };
  await cli.out.value(planned(cli, answer), card(integrationLines(answer)));
  if (signingSecret !== undefined) noteSecret(cli);
  return integration;
}
