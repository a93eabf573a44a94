import { nearest } from '#kernel/edit-distance.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';

/**
 * Of a filter that finds nothing tells a misspelt --action from one that nothing was done of yet. A server of another
 * version may know more names: one that has entries is never asked for it.
 *
 * @throws usage error (2), with the nearest name
 */
export async function requireAction(cli: Cli): Promise<void> {
  const action = cli.option('action');
  if (action === undefined) return;
  const { capabilities } = await import('../../app/capabilities.ts');
  const known = capabilities.flatMap(({ events = [] }) => events.flatMap(({ names }) => names));
  if (known.includes(action)) return;
  const upper = action.toUpperCase();
  const meant = known.includes(upper) ? upper : nearest(upper, known, nearEnough);
  throw usageError(
    `--action: action ${action} was not found`,
    meant === undefined ? 'appctl audit list shows the names' : `did you mean ${meant}?`,
  );
}

/** Names are long and made of a few words: a near one may miss more letters than a command's name. */
const nearEnough = (candidate: string): number => Math.min(5, Math.floor(candidate.length / 3));
