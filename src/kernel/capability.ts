import type { Check } from './check.ts';
import type { Ctx } from './context.ts';
import type { Endpoint } from './http/endpoint.ts';
import type { Page } from './http/page.ts';
import type { Setting } from './settings.ts';

/** Recurring work: selects what is due by time in the database and does it in small transactions. */
export interface Job {
  readonly name: string;
  readonly description: string;
  readonly everySeconds: number;
  /** Waits one interval after the wall clock jumped ahead: a wrong clock must not end what is alive (M20). */
  readonly waitsAfterClockStep?: boolean;
  /** Counts of what was done, for `jobs run` and the panel. */
  run(ctx: Ctx): Promise<Record<string, number>>;
}

/** Everything that one capability adds to its service; its folder's index.ts exports exactly one of these. */
export interface Capability {
  readonly name: string;
  readonly endpoints?: readonly Endpoint[];
  readonly pages?: readonly Page[];
  readonly jobs?: readonly Job[];
  readonly settings?: readonly Setting[];
  readonly checks?: readonly Check[];
}

/** Declares a capability (architecture section 7). */
export const capability = (spec: Capability): Capability => spec;
