import type { z } from 'zod';
import type { Scopes } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { requireUnchanged } from '#kernel/service/precondition.ts';
import { type How, noting } from '../admin/index.ts';
import { lockRoles } from '../roles/index.ts';
import * as tenants from '../tenants/index.ts';
import * as rights from './rights/rights.ts';
import type { StaffUpdate } from './schemas.ts';
import * as staff from './staff.ts';
import type { StaffView } from './view.ts';

/** Works on an account by its id or address, while nobody else changes who may do what. */
export const changing = <T>(
  ctx: Ctx,
  named: string,
  how: How,
  work: (ctx: Ctx, id: string) => Promise<T>,
): Promise<T> =>
  noting(ctx, how).tx(async (ctx) => {
    await lockRoles(ctx);
    const { id, email, updatedAt } = await staff.get(ctx, named);
    requireUnchanged(email, updatedAt, how.ifMatch);
    return work(ctx, id);
  });

/** Changes an account, under the lock of `changing`; what is not given stays. @param input roles by name */
export async function changeStaff(
  ctx: Ctx,
  id: string,
  input: z.output<typeof StaffUpdate>,
): Promise<StaffView> {
  const { email, name, roles, scopes } = input;
  if (email !== undefined || name !== undefined) await staff.update(ctx, id, { email, name });
  if (roles) await rights.setRoles(ctx, id, roles);
  if (scopes) await rights.setScopes(ctx, id, await byKind(ctx, scopes));
  return staff.get(ctx, id);
}

/** Ids by kind; a tenant may be named by its slug. @throws AppError NOT_FOUND */
async function byKind(ctx: Ctx, scopes: readonly { kind: keyof Scopes; refId: string }[]): Promise<Scopes> {
  const ids: Partial<Record<keyof Scopes, string[]>> = {};
  for (const { kind, refId } of scopes)
    (ids[kind] ??= []).push(kind === 'tenant' ? (await tenants.get(ctx, refId)).id : refId);
  return ids;
}
