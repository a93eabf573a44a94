import type { Ctx } from '#kernel/context.ts';
import { backUpBy, verifyBy } from '#platform/backup/index.ts';
import type { Scheduled } from './run-scheduled.ts';

const work = () => import('./run-scheduled.ts');

/** Lets the job `backup` of a process back up its installation. */
export const backUpHere = (
  { ctx, config, database }: Omit<Scheduled, 'files'> & { readonly ctx: Ctx },
  files: Scheduled['files'],
): void => backUpBy(ctx, async (ctx) => (await work()).backUp(ctx, { config, database, files }));

/** Lets a process that answers staff verify backups. */
export const verifyBackupsHere = (
  ctx: Pick<Ctx, 'memory'>,
  desk: Pick<Scheduled, 'config' | 'files'>,
): void => verifyBy(ctx, async (file, signal) => (await work()).verify(desk, file, signal));
