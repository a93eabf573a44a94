import { type CopyPlan, copyTables, planCopy, type TableCopy } from '#kernel/db/copy/copy.ts';
import { markFinished, markUnfinished } from '#kernel/db/copy/mark.ts';
import { DatabaseUnavailable } from '#kernel/db/database.ts';
import { asUnavailable } from '#kernel/db/faults.ts';
import type { CopyTarget } from './copy-target.ts';
import { rebuildIndexes } from './inspected.ts';
import type { Instance } from './instance.ts';

/** Shows how far a copy is. */
export interface CopyWatcher {
  /** The source is read as it is at this moment. */
  begins(plan: CopyPlan, at: string): Promise<void> | void;
  progress(rows: number): void;
}

/**
 * Copies an installation into a target. Until the last row is compared no program works with the target; when the copy
 * ends early, the next one goes on with it.
 *
 * @param target opened; its state tells whether it is gone on with
 * @param installation id of the installation
 */
export async function copyInstallation(
  source: Instance,
  target: CopyTarget,
  installation: string,
  watcher: CopyWatcher,
): Promise<TableCopy[]> {
  const { database, migrator, state } = target;
  try {
    // A schema that is newer is refused before anything is changed.
    await migrator.plan('up', {});
    await markUnfinished(database, installation, source.ctx.now());
    await requireStillUnused(target);
    await migrator.up();
    return await source.database.snapshot(async (db) => {
      const at = source.ctx.now();
      const plan = await planCopy(db, database.db);
      await watcher.begins(plan, at);
      const copies = await copyTables(db, database, plan, {
        keepSame: state.kind !== 'empty',
        onProgress: (rows) => watcher.progress(rows),
      });
      if (copies.some(({ checksumOk }) => !checksumOk)) return copies;
      await rebuildIndexes(source.config, target.url);
      await markFinished(database);
      return copies;
    });
  } catch (error) {
    throw stopped(error, database.displayUrl);
  }
}

/**
 * Whoever comes from now on finds the mark; who came before it is found here, before anything is changed.
 *
 * @throws AppError CONFLICT
 */
async function requireStillUnused({ database, state, requireUnused }: CopyTarget): Promise<void> {
  try {
    await requireUnused();
  } catch (error) {
    if (state.kind === 'filled' && !state.isUnfinished) await markFinished(database);
    throw error;
  }
}

/** A fault of either database, with the way on. */
function stopped(error: unknown, target: string): unknown {
  const fault = asUnavailable(error);
  if (fault === null) return error;
  return new DatabaseUnavailable(`the copy to ${target} stopped: ${fault.message}`, {
    cause: error,
    hint: `${fault.hint}; then run the same command again: the copy goes on`,
  });
}
