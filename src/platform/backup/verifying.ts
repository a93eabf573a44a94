import type { Ctx } from '#kernel/context.ts';
import { startTask, type Task } from '#kernel/jobs/task.ts';
import { fail } from '#kernel/service/errors.ts';
import { deskOf, verifierOf } from './desk.ts';
import { backupUnderWay } from './progress.ts';
import { findBackup } from './staff.ts';

const LOOK_MS = 500;

/**
 * Begins to verify a backup, as a task.
 *
 * @throws AppError NOT_FOUND; CONFLICT for one that this process cannot open
 */
export async function beginVerification(ctx: Ctx, file: string): Promise<Task> {
  const { config } = deskOf(ctx);
  const { encrypted } = await findBackup(ctx, file);
  const verify = verifierOf(ctx);
  if (verify === null) throw fail('CONFLICT', 'Only a running server verifies backups.');
  if (encrypted && config.backup.passphrase === undefined)
    throw fail('CONFLICT', 'The backup is encrypted, and this server does not have the key that opens it.');
  return startTask(ctx, { kind: 'verify backup', params: { file } }, async ({ progress }) => {
    const ending = new AbortController();
    let why: Error | null = null;
    const look = async (): Promise<void> => {
      const now = await backupUnderWay(config, 'verification');
      try {
        progress(now?.done ?? 0, now?.total ?? undefined);
      } catch (error) {
        why = error as Error;
        ending.abort();
      }
    };
    const timer = setInterval(() => void look(), LOOK_MS);
    try {
      return { file, ...(await verify(file, ending.signal)) };
    } catch (error) {
      throw why ?? error;
    } finally {
      clearInterval(timer);
    }
  });
}
