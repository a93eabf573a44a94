import { at, type Desk, timeAt } from '../desk/desk.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { endText } from '../license/term-change.ts';
import { requireShownSecret } from '../secret-file.ts';
import { makeSecret } from './secret.ts';
import { apiKeyOf, withApiKey } from './twin.ts';

/** A week: what the operation allows. */
const LONGEST_OVERLAP_SECONDS = 604_800;

/** `appctl apikey rotate ID`. */
export async function rotateApiKey(cli: Cli): Promise<void> {
  const overlapSeconds = cli.seconds('overlap') ?? 0;
  if (overlapSeconds > LONGEST_OVERLAP_SECONDS) {
    throw usageError(`--overlap '${cli.option('overlap')}' is too long`, 'use at most 7d');
  }
  requireShownSecret(cli);
  await withApiKey(cli, async (desk) => {
    await confirmEndOfOverlap(cli, desk);
    await makeSecret(cli, (options) =>
      desk.post(at`api-keys/${cli.argument('id')}/rotate`, { overlapSeconds }, options),
    );
  });
}

/**
 * A key keeps one secret beside its new one: a second rotation ends the one that clients were given time to replace.
 *
 * @throws CliError 10 when it is declined or --yes is missing
 */
async function confirmEndOfOverlap(cli: Cli, desk: Desk): Promise<void> {
  const { id, name, previousUntil, revokedAt } = await apiKeyOf(desk, cli.argument('id'));
  if (revokedAt !== null || previousUntil === null || previousUntil <= timeAt(desk)) return;
  await cli.confirm({
    action: `replace the secret of API key ${name} (${id}) a second time`,
    more: [
      `The secret before the last rotation is valid ${endText(previousUntil)}. It stops working now.`,
      'Clients that still use it get 401 until they have the new one.',
    ],
  });
}
