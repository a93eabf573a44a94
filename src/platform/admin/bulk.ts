import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { paced } from '#kernel/jobs/pace.ts';
import { rehearsing } from '#kernel/rehearse.ts';

/** What became of one row. */
export interface BulkResult {
  readonly id: string;
  readonly success: boolean;
  readonly error?: { readonly code: string; readonly message: string };
}

/** What became of all of them. */
export interface BulkOutcome {
  readonly results: readonly BulkResult[];
  readonly summary: { readonly total: number; readonly succeeded: number; readonly failed: number };
}

export interface BulkRun {
  readonly ids: readonly string[];
  readonly isRehearsal: boolean;
  /** Whether the actor may see the row. */
  isVisible(ctx: Ctx, id: string): Promise<boolean>;
  /** The use case, in a transaction of its own. */
  work(ctx: Ctx, id: string): Promise<unknown>;
  /** Told after each row. It throws when somebody has cancelled the run: what is done stays. */
  progress?(done: number, total: number): void;
}

/** The report of a task keeps so many refusals, and counts the rest. */
const MOST_KEPT = 1000;

/**
 * Does one thing with many rows, one after the other: a refused one costs only itself.
 *
 * @throws what is no refusal, such as a database that went away
 */
export async function runEach(ctx: Ctx, run: BulkRun): Promise<BulkOutcome> {
  const { ids, isRehearsal, progress } = run;
  const results: BulkResult[] = [];
  let failed = 0;
  for (const [index, id] of ids.entries()) {
    // Requests wait for the same writer: without a rest they come too late.
    const result = await paced(() => resultOf(isRehearsal ? rehearsing(ctx) : ctx, run, id));
    if (!result.success) failed += 1;
    if (!progress || (!result.success && failed <= MOST_KEPT)) results.push(result);
    progress?.(index + 1, ids.length);
  }
  return { results, summary: { total: ids.length, succeeded: ids.length - failed, failed } };
}

async function resultOf(ctx: Ctx, { isVisible, work }: BulkRun, id: string): Promise<BulkResult> {
  try {
    if (!(await isVisible(ctx, id))) return refused(id, 'NOT_FOUND', `${id} does not exist`);
    await work(ctx, id);
    return { id, success: true };
  } catch (error) {
    if (error instanceof AppError && error.status < 500) return refused(id, error.code, error.message);
    throw error;
  }
}

const refused = (id: string, code: string, message: string): BulkResult => ({
  id,
  success: false,
  error: { code, message },
});
