import type { Ctx } from '../context.ts';
import { memoryKey } from '../process-memory.ts';

/** Thrown by a job that did all that it could: its outcome is a failure, with the counts of what was done. */
export class PartlyDone extends Error {
  readonly counts: Record<string, number>;

  constructor(message: string, counts: Record<string, number>) {
    super(message);
    this.name = 'PartlyDone';
    this.counts = counts;
  }
}

/** Failures in a row of things that worked until now mean another fault, such as a database that is away. */
const MOST_IN_A_ROW = 10;
const NAMED = 3;
const MOST_REMEMBERED = 1000;

/** What is known to fail, by job and id: it is logged once, and never takes the rest of a run with it. */
const knownToFail = memoryKey('jobs-known-to-fail', () => new Map<string, Set<string>>());

/** One run over many things, of which none may keep the others from being done. */
export interface Leftovers {
  /**
   * Works on one thing; its failure is counted, and logged unless it is known from an earlier run.
   *
   * @returns whether it worked
   * @throws the failure itself when it is the tenth new one in a row
   */
  attempt(id: string, work: () => Promise<void>): Promise<boolean>;
  /** How many failed so far. */
  readonly failed: number;
  /**
   * The counts, when nothing failed.
   *
   * @throws PartlyDone with the counts and `failed`; its message names some of what was left
   */
  settle<T extends Record<string, number>>(counts: T): T;
}

/** @param what the things are: `license`; with `job`, which names the memory of them */
export function startLeftovers(ctx: Ctx, { job, what }: { job: string; what: string }): Leftovers {
  const memory = ctx.memory.of(knownToFail);
  const known = memory.get(job) ?? new Set<string>();
  memory.set(job, known);
  const reasons = new Map<string, string>();
  let inARow = 0;
  const note = (id: string, error: unknown): void => {
    reasons.set(id, (error as Error).message);
    if (known.has(id)) return;
    if (known.size < MOST_REMEMBERED) known.add(id);
    ctx.log.error({ err: error, job, id }, 'a job could not handle this one, and continued with the others');
    inARow += 1;
    if (inARow >= MOST_IN_A_ROW) throw error;
  };
  return {
    async attempt(id, work) {
      try {
        await work();
      } catch (error) {
        note(id, error);
        return false;
      }
      inARow = 0;
      known.delete(id);
      return true;
    },
    get failed() {
      return reasons.size;
    },
    settle(counts) {
      if (reasons.size === 0) return counts;
      throw new PartlyDone(tellOf(what, reasons), { ...counts, failed: reasons.size });
    },
  };
}

function tellOf(what: string, reasons: ReadonlyMap<string, string>): string {
  const named = [...reasons].slice(0, NAMED).map(([id, reason]) => `${what} ${id}: ${reason}`);
  const more = reasons.size - named.length;
  return `${named.join('; ')}${more > 0 ? `; and ${more} more` : ''}; all others were handled`;
}
