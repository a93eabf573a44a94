import type { Subscription } from './point.ts';

/** A file of the hooks directory. */
export interface HookFile {
  /** Its name in the directory. */
  readonly name: string;
  /** Empty: it has no `register`, and only helps others. */
  readonly subscriptions: readonly Subscription[];
  readonly hasRegister: boolean;
  /** What went wrong outside of any call, such as in a timer that a hook started. */
  strayErrors: number;
  lastStray: string | null;
}

/** What a process has loaded of the hooks directory. */
export interface LoadedHooks {
  /** In the order of their names. */
  readonly files: readonly HookFile[];
  /** `before:order.create` → its subscriptions, in the order of files and within a file as it subscribed. */
  readonly byEvent: ReadonlyMap<string, readonly Subscription[]>;
}
