import { nearest } from '#kernel/edit-distance.ts';
import { usageError } from './frame/errors.ts';

/**
 * Of a filter that finds nothing tells a misspelt name of an event from one that has not happened yet. A server of
 * another version may know more names: one that has entries is never asked for it.
 *
 * @param flag that named it; @param what it names: `action`
 * @param list the command that shows the names
 * @throws usage error (2), with the nearest name
 */
export async function requireEventName(
  name: string,
  { flag, what, list }: { readonly flag: string; readonly what: string; readonly list: string },
): Promise<void> {
  const { capabilities } = await import('../app/capabilities.ts');
  const known = capabilities.flatMap(({ events = [] }) => events.flatMap(({ names }) => names));
  if (known.includes(name)) return;
  const upper = name.toUpperCase();
  const meant = known.includes(upper) ? upper : nearest(upper, known, nearEnough);
  throw usageError(
    `${flag}: ${what} ${name} was not found`,
    meant === undefined ? `${list} shows the names` : `did you mean ${meant}?`,
  );
}

/** Names are long and made of a few words: a near one may miss more letters than a command's name. */
const nearEnough = (candidate: string): number => Math.min(5, Math.floor(candidate.length / 3));
