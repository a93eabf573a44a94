import type { Clock } from './clock.ts';
import { memoryKey } from './process-memory.ts';

/** By how much the test clock of a process is ahead of the machine's. */
export interface ClockShift {
  ms: number;
}

/** Of the process that serves: what starts anew begins with the machine's time. */
export const clockShift = memoryKey('clock-shift', (): ClockShift => ({ ms: 0 }));

/** A clock that goes on as another one does, from a time that may be moved; durations are never shifted. */
export const shiftedClock = (base: Clock, shift: ClockShift): Clock => ({
  epochMs: () => base.epochMs() + shift.ms,
  monotonicMs: () => base.monotonicMs(),
});
