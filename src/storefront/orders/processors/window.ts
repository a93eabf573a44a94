/** Clocks of two machines differ, and a call may be under way for long. */
const BEFORE_MS = 600_000;
const AFTER_MS = 1_800_000;

/** When a payment that was asked for at a time may have been made, by the clock of the processor. */
export function windowAround(createdAt: string): { readonly from: Date; readonly until: Date } {
  const at = Date.parse(createdAt);
  return { from: new Date(at - BEFORE_MS), until: new Date(at + AFTER_MS) };
}
