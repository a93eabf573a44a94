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

/** What a restore is asked for with. */
export interface RestoreRequest {
  readonly file: string;
  /** Who asked for it, for people. */
  readonly by: string;
}

/** Restores a backup in place of the server that is asked: it ends, and is there again afterwards. */
export interface Restorer {
  /** Why it cannot, in a sentence; null when it can. */
  refusal(): Promise<string | null>;
  /** Has no other one begin from now on. @throws AppError CONFLICT when one was begun that waits for the end of the server */
  claim(request: RestoreRequest): ClaimedRestore;
}

/** A restore that nobody else can begin meanwhile. */
export interface ClaimedRestore {
  begin(): void;
  /** Others can begin one again. */
  leave(): void;
}

const keptRestorer = memoryKey<{ restorer: Restorer | null }>('restorer', () => ({ restorer: null }));

/** Says how a serving process restores. */
export function restoreBy(ctx: Pick<Ctx, 'memory'>, restorer: Restorer): void {
  ctx.memory.of(keptRestorer).restorer = restorer;
}

/** @returns null in a process that cannot be started again */
export const restorerOf = ({ memory }: Pick<Ctx, 'memory'>): Restorer | null =>
  memory.of(keptRestorer).restorer;

/**
 * Unpacks a backup into a scratch place in a process of its own, and checks all of it.
 *
 * @param signal ends it
 * @returns how many tables it has. @throws Error in the words of that process
 */
export type Verifier = (file: string, signal: AbortSignal) => Promise<{ tables: number }>;

const keptVerifier = memoryKey<{ verify: Verifier | null }>('verifier', () => ({ verify: null }));

/** Says how a process verifies backups. */
export function verifyBy(ctx: Pick<Ctx, 'memory'>, verify: Verifier): void {
  ctx.memory.of(keptVerifier).verify = verify;
}

/** @returns null in a process that does not */
export const verifierOf = ({ memory }: Pick<Ctx, 'memory'>): Verifier | null =>
  memory.of(keptVerifier).verify;
