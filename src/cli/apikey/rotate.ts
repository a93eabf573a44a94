import { at } from '../desk/desk.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { makeSecret } from './secret.ts';
import { withApiKey } from './twin.ts';

/** A week: what the operation allows. */
const LONGEST_OVERLAP_SECONDS = 604_800;

/** `appctl apikey rotate ID`. */
export async function rotateApiKey(cli: Cli): Promise<void> {
  const overlapSeconds = cli.seconds('overlap') ?? 0;
  if (overlapSeconds > LONGEST_OVERLAP_SECONDS) {
    throw usageError(`--overlap '${cli.option('overlap')}' is too long`, 'use at most 7d');
  }
  await withApiKey(cli, (desk) =>
    makeSecret(cli, (options) =>
      desk.post(at`api-keys/${cli.argument('id')}/rotate`, { overlapSeconds }, options),
    ),
  );
}
