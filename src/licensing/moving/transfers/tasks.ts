import { join } from 'node:path';
import { scopeOf } from '#kernel/actor.ts';
import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { getTask, type Task } from '#kernel/jobs/task.ts';
import { requireUnconfined } from '#kernel/service/confined.ts';
import { fail } from '#licensing/contract/errors.ts';
import { requireWholeInstallation, seesWholeInstallation } from '#platform/admin/index.ts';

/** A small one is done before the answer: nobody has to ask again. */
export const PATIENCE_MS = 1000;

/** How long an export waits to be fetched. */
export const KEPT_HOURS = 24;

/** @returns ISO 8601 UTC */
export const expiryOf = (finishedAt: string): string =>
  addSeconds(finishedAt, (KEPT_HOURS / 24) * SECONDS_PER_DAY);

/** Folders of files on their way out and in, below that of the installation. */
export const exportsFolder = ({ dataDir }: Pick<Ctx, 'dataDir'>): string => join(dataDir, 'exports');
export const importsFolder = ({ dataDir }: Pick<Ctx, 'dataDir'>): string => join(dataDir, 'imports');

/**
 * Demands staff who may see all that a file of a tenant holds.
 *
 * @param allTenants the file is of every tenant
 * @throws AppError INSUFFICIENT_SCOPE for who is confined to products, or to a tenant where every one is meant
 */
export function requireReach(ctx: Ctx, allTenants: boolean): void {
  requireUnconfined(ctx.actor, 'license_product');
  if (allTenants) requireWholeInstallation(ctx);
}

/**
 * A task of a kind, for staff who may see all that it is about; to others it is unknown.
 *
 * @param what the word for it, as messages name it
 * @throws AppError NOT_FOUND
 */
export async function findOwn(ctx: Ctx, what: 'export' | 'import', id: string): Promise<Task> {
  const task = await getTask(ctx, id).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'NOT_FOUND') return null;
    throw error;
  });
  if (task !== null && isOf(what, task) && isVisible(ctx, task)) return task;
  throw fail('NOT_FOUND', `${what} ${id} was not found`);
}

const isOf = (what: string, { kind, params }: Task): boolean =>
  kind.startsWith(`${what} `) && typeof params.allTenants === 'boolean';

function isVisible(ctx: Ctx, { params }: Task): boolean {
  if (scopeOf(ctx.actor, 'license_product') !== null) return false;
  return params.allTenants !== true || seesWholeInstallation(ctx.actor);
}
