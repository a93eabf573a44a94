import type { Ctx } from '#kernel/context.ts';
import { startTask, type Task } from '#kernel/jobs/task.ts';
import { memoryKey } from '#kernel/process-memory.ts';
import { fail } from '#kernel/service/errors.ts';
import { deskOf, type Verifier, verifierOf } from './desk.ts';
import { backupUnderWay } from './progress.ts';
import { findBackup } from './staff.ts';

const LOOK_MS = 500;
/** Of this process: nobody else sees one that is only just starting. */
const begun = memoryKey<{ isBegun: boolean }>('verification', () => ({ isBegun: false }));

/**
 * Begins to verify a backup, as a task.
 *
 * @throws AppError NOT_FOUND; CONFLICT for one that this process cannot open, and while another one is verified: each
 *   unpacks a whole backup
 */
export async function beginVerification(ctx: Ctx, file: string): Promise<Task> {
  const { config } = deskOf(ctx);
  const { encrypted } = await findBackup(ctx, file);
  const verify = verifierOf(ctx);
  if (verify === null) throw fail('CONFLICT', 'Only a running server verifies backups.');
  if (encrypted && config.backup.passphrase === undefined)
    throw fail('CONFLICT', 'The backup is encrypted, and this server does not have the key that opens it.');
  const here = ctx.memory.of(begun);
  if ((await backupUnderWay(config, 'verification')) !== null || here.isBegun)
    throw fail('CONFLICT', 'A backup is being verified. Try again when that is done.');
  here.isBegun = true;
  try {
    return await start(ctx, file, verify);
  } catch (error) {
    here.isBegun = false;
    throw error;
  }
}

function start(ctx: Ctx, file: string, verify: Verifier): Promise<Task> {
  const { config } = deskOf(ctx);
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
      ctx.memory.of(begun).isBegun = false;
    }
  });
}
