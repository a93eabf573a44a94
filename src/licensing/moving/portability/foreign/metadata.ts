import { jsonObject } from '#kernel/http/json-object.ts';
import { bounds } from '#licensing/contract/limits.ts';

const { maxKeys } = bounds.metadata;
const Entry = jsonObject(bounds.metadata);

/**
 * Puts metadata together within the bounds of D51. What does not fit is left out with a warning: no customer shall lose
 * a license because another product was more generous with notes.
 *
 * @param own the source's metadata, which goes first
 * @param rest columns that no field took
 */
export function fitMetadata(
  own: Record<string, unknown> | undefined,
  rest: readonly (readonly [string, unknown])[],
  warn: (message: string) => void,
): Record<string, unknown> {
  const entries = [...Object.entries(own ?? {}), ...rest].filter(([, value]) => value !== undefined);
  const fitting = entries.filter(
    ([key, value]) => Entry.safeParse(Object.fromEntries([[key, value]])).success,
  );
  const kept = fitting.slice(0, maxKeys);
  const left = entries.length - kept.length;
  if (left > 0)
    warn(
      `${left} metadata ${left === 1 ? 'entry does' : 'entries do'} not fit and ${left === 1 ? 'was' : 'were'} left out`,
    );
  return Object.fromEntries(kept);
}
