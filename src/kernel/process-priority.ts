import { constants, setPriority } from 'node:os';

/**
 * Lets every other process go first, from now on and for good: an ordinary user may not take that back. What is started
 * afterwards is as patient. A sandbox may forbid it; the work is done then all the same.
 */
export function yieldToOthers(): void {
  try {
    setPriority(0, constants.priority.PRIORITY_LOW);
  } catch {
    // Only the others' time depends on it.
  }
}
