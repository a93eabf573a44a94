import type { z } from 'zod';
import type { Actor } from '../actor.ts';
import type { Log } from '../log.ts';

/** A place at which files of the operator may run. */
export interface HookPoint {
  /** As files subscribe to it: `before:order.create`, `after:order.create`. */
  readonly name: string;
  /** Events, of its service, after which it runs. */
  readonly service: string;
  readonly after: readonly string[];
}

/** What a hook is given: JSON. */
export type Payload = Readonly<Record<string, unknown>>;

/** What a before-hook may do with its payload. */
export interface Allowed {
  /** Fields that it may change, each with what a new value must be. */
  readonly changes?: Readonly<Record<string, z.ZodType>>;
  /** Fields that follow from the others: what comes back of them is worked out anew. */
  readonly computed?: readonly string[];
}

/** Who caused what a hook is called for. */
export type HookActor = Pick<Actor, 'kind' | 'id' | 'label'>;

/** What a hook is told beside its payload. */
export interface HookAbout {
  /** As the file subscribed to it. */
  readonly event: string;
  readonly actor: HookActor;
}

/** A function of the operator's. */
export type HookFunction = (payload: Payload, about: HookAbout) => unknown;

/** How one subscription of a file has done, since this process started. */
export interface Subscription {
  readonly file: string;
  /** `before:order.create` */
  readonly event: string;
  readonly run: HookFunction;
  runs: number;
  errors: number;
  /** Times that it refused by a HookError. */
  refused: number;
  totalMs: number;
  underWay: number;
  /** Calls that took too long since one that did not, and when the last of them was given up, by `performance.now`. */
  lateInRow: number;
  lastLate: number;
  lastError: string | null;
  lastErrorAt: string | null;
}

export const actorOf = ({ kind, id, label }: Actor): HookActor => ({ kind, id, label });

export interface HooksOptions {
  /** `hooks_dir`; it need not exist. */
  readonly dir: string;
  readonly points: readonly HookPoint[];
  readonly log: Log;
}
