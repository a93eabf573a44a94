import { addSeconds } from '#kernel/clock.ts';
import type { Condition } from './conditions.ts';
import type { Alert } from './record.ts';

/** What comes back within this time was never over: a job that fails every second time is told of once. */
export const QUIET_SECONDS = 300;

/** What becomes of the open alerts. */
export interface Decision {
  readonly begun: readonly Condition[];
  /** Those whose words or state changed. */
  readonly changed: readonly { readonly id: string; readonly values: Partial<Alert> }[];
  readonly ended: readonly Alert[];
}

/** @param now ISO time */
export function decide(open: readonly Alert[], found: readonly Condition[], now: string): Decision {
  const byKey = new Map(found.map((one) => [one.key, one]));
  const known = new Set(open.map(({ key }) => key));
  const changed: { id: string; values: Partial<Alert> }[] = [];
  const ended: Alert[] = [];
  for (const alert of open) {
    const condition = byKey.get(alert.key);
    const { id, absentSince } = alert;
    if (condition) {
      const { message, hint } = condition;
      const isSame = message === alert.message && hint === alert.hint && absentSince === null;
      if (!isSame) changed.push({ id, values: { message, hint, absentSince: null } });
    } else if (absentSince === null) changed.push({ id, values: { absentSince: now } });
    else if (addSeconds(absentSince, QUIET_SECONDS) <= now) ended.push(alert);
  }
  return { begun: found.filter(({ key }) => !known.has(key)), changed, ended };
}
