/**
 * Names of the parameters of a list in a compiled statement: `id_0`, `id_1`, … Such a list has always the same length,
 * so that the statement is compiled once; places that are not needed hold null, which no column equals.
 */
export const slotsOf = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `${name}_${n}`);

/** Values for the slots of a list. @param values at most as many as there are slots */
export function fillSlots(
  slots: readonly string[],
  values: readonly string[],
): Record<string, string | null> {
  if (values.length > slots.length) throw new Error(`${values.length} values for ${slots.length} slots`);
  return Object.fromEntries(slots.map((slot, n) => [slot, values[n] ?? null]));
}
