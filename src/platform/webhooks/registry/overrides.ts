import { invalidField } from '#kernel/service/errors.ts';

/** One change of a test's payload: where, as `data.details.machineId`, and what. */
export interface Override {
  path: string;
  value: unknown;
}

const MOST_OVERRIDES = 50;
/** These say what the request is; the headers and the mark of a test depend on them. */
const FIXED = new Set(['event', 'test']);

/**
 * Puts values into a copy of a payload. A path must lead to something that is there: a misspelt one would send the
 * example unchanged and prove nothing.
 *
 * @throws AppError VALIDATION_ERROR that names what is there instead
 */
export function applyOverrides(
  payload: Record<string, unknown>,
  overrides: readonly Override[],
): Record<string, unknown> {
  if (overrides.length > MOST_OVERRIDES)
    throw invalidField('overrides', `must have at most ${MOST_OVERRIDES} entries`);
  const changed = structuredClone(payload);
  for (const { path, value } of overrides) {
    if (FIXED.has(path))
      throw invalidField('overrides', `${path} cannot be overridden; choose another event`);
    put(changed, path, value);
  }
  return changed;
}

function put(payload: Record<string, unknown>, path: string, value: unknown): void {
  const names = path.split('.');
  const last = names.pop() ?? '';
  let place: unknown = payload;
  for (const name of names) place = inner(place, name, path);
  inner(place, last, path);
  (place as Record<string, unknown>)[last] = value;
}

/** Own properties only: `__proto__` leads nowhere. */
function inner(place: unknown, name: string, path: string): unknown {
  if (typeof place === 'object' && place !== null && Object.hasOwn(place, name) && name !== 'length')
    return (place as Record<string, unknown>)[name];
  const there = typeof place === 'object' && place !== null ? Object.keys(place).join(', ') : 'nothing';
  throw invalidField('overrides', `${path} has no target: ${name || 'an empty name'} is not one of ${there}`);
}
