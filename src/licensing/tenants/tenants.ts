import type { Ctx } from '#kernel/context.ts';
import { fail } from '../errors.ts';
import * as repo from './repository.ts';

/** The tenant that always exists (D132); the first migration makes it. */
export const DEFAULT_TENANT_ID = 'ten_00000000000000000000000001';

/** A suspended tenant's API keys open nothing (licensing section 2.2). The default tenant cannot be suspended. */
export const isSuspended = async (ctx: Ctx, id: string): Promise<boolean> =>
  id !== DEFAULT_TENANT_ID && (await repo.findStatus(ctx, id)) !== 'ACTIVE';

/** Id of the tenant with this slug. @throws AppError NOT_FOUND */
export async function idOfSlug(ctx: Ctx, slug: string): Promise<string> {
  const id = await repo.findIdBySlug(ctx, slug);
  if (id === null) throw fail('NOT_FOUND', `there is no tenant ${slug}`);
  return id;
}
