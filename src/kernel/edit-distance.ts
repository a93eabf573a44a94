/**
 * Counts the edits between two words: insert, delete, replace, or swap two neighbours.
 * @returns the number of edits, 0 for equal words
 */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const replaced = a[row - 1] === b[column - 1] ? 0 : 1;
      let best = Math.min(last[column]! + 1, current[column - 1]! + 1, last[column - 1]! + replaced);
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) best = Math.min(best, beforeLast[column - 2]! + 1);
      current.push(best);
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length]!;
}

/**
 * Finds the candidate that is nearest to a mistyped word.
 * @param maxEdits how far a candidate may be for its length; by default two edits and a third of its length
 * @returns the nearest candidate, or undefined when none is near enough
 */
export function nearest(
  word: string,
  candidates: Iterable<string>,
  maxEdits: (candidate: string) => number = (candidate) => Math.min(2, Math.floor(candidate.length / 3)),
): string | undefined {
  let found: string | undefined;
  let foundDistance = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const limit = maxEdits(candidate);
    if (Math.abs(candidate.length - word.length) > limit) continue;
    const distance = editDistance(word, candidate);
    if (distance <= limit && distance < foundDistance) {
      found = candidate;
      foundDistance = distance;
    }
  }
  return found;
}
