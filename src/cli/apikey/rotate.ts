import * as apiKeys from '#platform/api-keys/index.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { withLocal } from '../open.ts';
import { makeSecret } from './secret.ts';

/** A week: what the use case allows. */
const LONGEST_OVERLAP_SECONDS = 604_800;

/** `appctl apikey rotate ID`. */
export async function rotateApiKey(cli: Cli): Promise<void> {
  const overlapSeconds = cli.seconds('overlap') ?? 0;
  if (overlapSeconds > LONGEST_OVERLAP_SECONDS) {
    throw usageError(`--overlap '${cli.option('overlap')}' is too long`, 'at most 7d');
  }
  await withLocal(cli, ({ ctx }) =>
    makeSecret(cli, ctx, (ctx) => apiKeys.rotate(ctx, cli.argument('id'), overlapSeconds)),
  );
}
