import { readdirSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

/**
 * Lets every other process go first, from now on and for good: an ordinary user may not take that back. What is started
 * afterwards is as patient. A sandbox may forbid it; the work is done then all the same.
 *
 * @param priority from 0 to 19, the lowest
 */
export function yieldToOthers(priority: number = constants.priority.PRIORITY_LOW): void {
  for (const id of ownThreads()) {
    try {
      setPriority(id, priority);
    } catch {
      // Only the others' time depends on it.
    }
  }
}

/** Linux counts a priority by thread: those that compress, write files and tidy up memory are there already. */
function ownThreads(): readonly number[] {
  try {
    return readdirSync('/proc/self/task').map(Number);
  } catch {
    return [0];
  }
}
