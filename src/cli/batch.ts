import { paced } from '#kernel/jobs/pace.ts';
import { planned } from './change.ts';
import type { Cli } from './frame/context.ts';
import { exits, toFailure } from './frame/exits.ts';
import type { Column } from './frame/rows.ts';

export interface Failed {
  index: number;
  success: false;
  error: { code: string; message: string; details: Readonly<Record<string, unknown>> };
}

/** `Batch` of cli.md section 2: the fields of each result stand beside `index` and `success`. */
export interface Batch<T> {
  results: (({ index: number; success: true } & T) | Failed)[];
  summary: { total: number; succeeded: number; failed: number };
}

/**
 * Changes one thing after the other, each in a transaction of its own, so that a refused one costs only itself.
 *
 * @param subjects what is changed, as errors name it
 * @throws what is no expected refusal, for example a database that went away
 */
export async function workOnEach<T extends object>(
  cli: Cli,
  subjects: readonly string[],
  work: (subject: string, index: number) => Promise<T>,
): Promise<Batch<T>> {
  const results: Batch<T>['results'] = [];
  const progress = await cli.progress(cli.spec.path, subjects.length);
  try {
    for (const [index, subject] of subjects.entries()) {
      try {
        // A server beside it asks for the same write lock of SQLite, again and again: without a rest it comes too late.
        const value = await paced(() => work(subject, index));
        results.push({ index, success: true, ...value });
      } catch (error) {
        results.push(failed(cli, index, error));
      }
      progress.update(index + 1);
    }
  } catch (error) {
    const done = results.filter((result) => result.success).length;
    if (done > 0 && !cli.dryRun) cli.warn(`${done} of ${subjects.length} were changed before this failed`);
    throw error;
  } finally {
    progress.stop();
  }
  const succeeded = results.filter((result) => result.success).length;
  return { results, summary: { total: results.length, succeeded, failed: results.length - succeeded } };
}

/**
 * A refusal is the item's result; a defect or a lost database ends the command.
 *
 * @returns with a hint that carries the flags of where the command runs, as that of a whole command does
 * @throws what is no expected refusal
 */
export function failed({ placed }: Pick<Cli, 'placed'>, index: number, error: unknown): Failed {
  const { exit, code, message, hint, details } = toFailure(error);
  if (exit === exits.unexpected || exit === exits.unreachable) throw error;
  return {
    index,
    success: false,
    error: { code, message, details: hint === null ? details : { ...details, hint: placed(hint) } },
  };
}

/**
 * Writes the answer of a batch; refusals also go to stderr.
 *
 * @param subjects as in workOnEach
 * @param columns of the results that succeeded
 * @returns 7 when something failed (cli.md section 1.8), else 0
 */
export async function writeBatch<T extends object>(
  cli: Cli,
  batch: Batch<T>,
  subjects: readonly string[],
  columns: readonly Column<T>[],
): Promise<number> {
  const done = batch.results.filter((result) => result.success);
  await cli.out.rows(planned(cli, batch), done, columns as readonly Column<object>[]);
  if (!cli.json) {
    for (const result of batch.results) {
      if (!result.success) cli.warn(`${subjects[result.index]}: ${result.error.message}`);
    }
    const { total, succeeded } = batch.summary;
    cli.note(
      `${succeeded} of ${total} ${cli.dryRun ? 'would succeed (dry run, nothing was changed)' : 'succeeded'}`,
    );
  }
  return batch.summary.failed > 0 ? exits.partial : exits.done;
}
