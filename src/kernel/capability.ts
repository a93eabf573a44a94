import type { Check } from './check.ts';
import type { Ctx } from './context.ts';
import type { TableRecord } from './db/record.ts';
import type { Endpoint } from './http/endpoint.ts';
import type { Page } from './http/page.ts';
import type { Setting } from './settings.ts';

/** Recurring work: selects what is due by time in the database and does it in small transactions. */
export interface Job {
  readonly name: string;
  readonly description: string;
  readonly everySeconds: number;
  /**
   * Waits one interval after the wall clock jumped ahead, and after a time without a server: neither a wrong clock nor
   * an outage may end what is alive (M20).
   */
  readonly waitsAfterClockStep?: boolean;
  /**
   * Writes what waits in the memory of a process: each serving process runs it on its own timer, without the lease
   * that lets one process at a time run any other job, and once more when it ends.
   */
  readonly everyProcess?: true;
  /** What the timer runs instead, where `run` is too much to do beside requests: a part of what waits. */
  runPart?(ctx: Ctx): Promise<Record<string, number>>;
  /** Counts of what was done, for `jobs run` and the panel. */
  run(ctx: Ctx): Promise<Record<string, number>>;
}

/** Everything that one capability adds to its service; its folder's index.ts exports exactly one of these. */
export interface Capability {
  readonly name: string;
  readonly endpoints?: readonly Endpoint[];
  /** Of the admin API: the scope of each is the permission that it asks for. */
  readonly adminEndpoints?: readonly Endpoint[];
  readonly pages?: readonly Page[];
  readonly jobs?: readonly Job[];
  readonly settings?: readonly Setting[];
  readonly checks?: readonly Check[];
  /** The tables that it owns: it alone writes their rows. */
  readonly records?: readonly TableRecord[];
  /** Fills the memory of a serving process before it listens. */
  readonly start?: (ctx: Ctx) => Promise<void>;
}

/** Declares a capability (architecture section 7). */
export const capability = (spec: Capability): Capability => spec;
