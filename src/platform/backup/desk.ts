import type { Config } from '#kernel/config/config.ts';
import type { ConfigFiles } from '#kernel/config/sources.ts';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { memoryKey } from '#kernel/process-memory.ts';
import { requireWholeInstallation } from '../admin/index.ts';

/** What staff works on: the backups of the installation that this server serves. */
export interface BackupDesk {
  readonly config: Config;
  /** What the server was configured by, for commands that do what a page cannot. */
  readonly files: Pick<ConfigFiles, 'config' | 'envFile'>;
}

const kept = memoryKey<{ desk: BackupDesk | null }>('backup-desk', () => ({ desk: null }));

/** Says which configuration a server has. */
export function showBackupsOf(ctx: Pick<Ctx, 'memory'>, desk: BackupDesk): void {
  ctx.memory.of(kept).desk = desk;
}

/** @throws AppError INSUFFICIENT_SCOPE for who does not see all tenants: a backup has all of them */
export function deskOf(ctx: Ctx): BackupDesk {
  requireWholeInstallation(ctx);
  const { desk } = ctx.memory.of(kept);
  if (desk) return desk;
  throw new AppError('SERVER_ERROR', 503, 'The server is starting. Try again in a moment.');
}
