import type { Ctx } from '#kernel/context.ts';
import { dropWorkingFiles } from '#kernel/storage/working-file.ts';
import { exportsFolder, importsFolder, KEPT_HOURS } from './tasks.ts';

/**
 * Deletes files that are older than a day: exports whose time is over, and what a process that died was writing or
 * reading.
 *
 * @returns how many of each
 */
export async function sweep(ctx: Ctx): Promise<Record<string, number>> {
  const before = Date.parse(ctx.now()) - KEPT_HOURS * 3_600_000;
  return {
    exports: await dropWorkingFiles(exportsFolder(ctx), before),
    imports: await dropWorkingFiles(importsFolder(ctx), before),
  };
}
