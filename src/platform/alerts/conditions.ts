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

/** Finds what an operator must know now. */
export type Lookout = () => Promise<readonly Condition[]>;

const lookout = memoryKey<{ look: Lookout | null }>('alert-lookout', () => ({ look: null }));

/** Says how conditions are found where all checks are known. */
export function lookOutBy(ctx: Pick<Ctx, 'memory'>, look: Lookout): void {
  ctx.memory.of(lookout).look = look;
}

/** @returns null in a process that runs no checks */
export const conditionsNow = async ({ memory }: Pick<Ctx, 'memory'>): Promise<readonly Condition[] | null> =>
  (await memory.of(lookout).look?.()) ?? null;
