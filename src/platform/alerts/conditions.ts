import type { Ctx } from '#kernel/context.ts';
import { memoryKey } from '#kernel/process-memory.ts';

/** Something that an operator must know at this moment. */
export interface Condition {
  /** Equal as long as it is the same thing: the id of a check, and what it was found in. */
  readonly key: string;
  readonly title: string;
  readonly message: string;
  readonly hint: string | null;
}

/** What a condition is about: a server with its machine, or the installation that all servers of a database serve. */
export type Concern = 'server' | 'installation';

/** How a serving process finds what an operator must know now. */
export interface Lookout {
  /** Tells the server from others of its database; null where there can be no other. */
  readonly server: string | null;
  /** @param concern only what is about this */
  look(concern: Concern): Promise<readonly Condition[]>;
}

const lookout = memoryKey<{ here: Lookout | null }>('alert-lookout', () => ({ here: null }));

/** Says how conditions are found where all checks are known. */
export function lookOutBy(ctx: Pick<Ctx, 'memory'>, here: Lookout): void {
  ctx.memory.of(lookout).here = here;
}

/** @throws Error in a process that runs no checks */
export function lookoutOf({ memory }: Pick<Ctx, 'memory'>): Lookout {
  const { here } = memory.of(lookout);
  if (here === null) throw new Error('only a running server evaluates alerts: run appctl serve');
  return here;
}
