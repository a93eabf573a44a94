import type { Ctx } from '#kernel/context.ts';
import { backUpBy } from '#platform/backup/index.ts';
import type { Scheduled } from './run-scheduled.ts';

/** Lets the job `backup` of a process back up its installation. */
export const backUpHere = (
  { ctx, config, database }: Omit<Scheduled, 'files'> & { readonly ctx: Ctx },
  files: Scheduled['files'],
): void =>
  backUpBy(ctx, async (ctx) => (await import('./run-scheduled.ts')).backUp(ctx, { config, database, files }));
