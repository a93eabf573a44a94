import type { Ctx } from '#kernel/context.ts';
import { backUpBy, verifyBy } from '#platform/backup/index.ts';
import type { Scheduled } from './run-scheduled.ts';

/** Lets the job `backup` of a process back up its installation, and staff verify what it made. */
export const backUpHere = (
  { ctx, config, database }: Omit<Scheduled, 'files'> & { readonly ctx: Ctx },
  files: Scheduled['files'],
): void => {
  const work = () => import('./run-scheduled.ts');
  backUpBy(ctx, async (ctx) => (await work()).backUp(ctx, { config, database, files }));
  verifyBy(ctx, async (file, signal) => (await work()).verify({ config, files }, file, signal));
};
