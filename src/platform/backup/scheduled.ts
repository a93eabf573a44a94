import type { Job } from '#kernel/capability.ts';
import type { Ctx } from '#kernel/context.ts';
import { memoryKey } from '#kernel/process-memory.ts';

/** Makes a backup as the configuration says. @returns counts for the history of the job */
export type BackupRunner = (ctx: Ctx) => Promise<Record<string, number>>;

const runner = memoryKey<{ run: BackupRunner | null }>('backup-runner', () => ({ run: null }));

/** Says how a backup is made where the configuration is known. */
export function backUpBy(ctx: Pick<Ctx, 'memory'>, run: BackupRunner): void {
  ctx.memory.of(runner).run = run;
}

export const backupJob: Job = {
  name: 'backup',
  description: 'Makes a verified backup, then deletes those that backup.keep does not keep',
  // The schedule of the configuration says when; this is how far a wrong clock may put it off.
  everySeconds: 3600,
  async run(ctx) {
    const { run } = ctx.memory.of(runner);
    if (run === null) throw new Error('this process cannot make a backup');
    return run(ctx);
  },
};
