/** A part of a drawing that shows another one again: ids of what it is in, and of what it shows. */
export interface Use {
  readonly inside: readonly string[];
  readonly target: string;
}

const MOST_USES = 200;
const MOST_DEEP = 3;

/**
 * Ten uses of ten uses of ten … are billions of shapes in a kilobyte.
 *
 * @param refused makes the error of a reason
 * @throws what `refused` makes
 */
export function requireFlatUses(uses: readonly Use[], refused: (why: string) => Error): void {
  if (uses.length > MOST_USES) throw refused(`repeats parts more than ${MOST_USES} times`);
  const targets = new Map<string, Set<string>>();
  for (const { inside, target } of uses)
    for (const id of inside) targets.set(id, (targets.get(id) ?? new Set()).add(target));
  // Whatever is shown again from a level shows the next level; a circle never ends and is refused with the deep ones.
  let level = new Set(uses.map(({ target }) => target));
  for (let depth = 1; level.size > 0; depth += 1) {
    if (depth > MOST_DEEP) throw refused('repeats parts within repeated parts');
    level = new Set([...level].flatMap((id) => [...(targets.get(id) ?? [])]));
  }
}
