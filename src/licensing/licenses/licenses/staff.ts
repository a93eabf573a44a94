import type { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { openKey } from '../standing/index.ts';
import { refuseStale } from './edit/unchanged.ts';
import { replaceKey, type StaffReplaceKeyBody } from './keys/replace.ts';
import type { License } from './queries.ts';
import { forReveal, get } from './reveal.ts';
import { getAny, revealed } from './staff-read.ts';
import { purge, trash } from './trash/trash.ts';

/**
 * Makes one change to a license that is as its caller read it.
 *
 * @param work inside the transaction
 * @returns the license afterwards
 * @throws AppError PRECONDITION_FAILED, and what `work` throws
 */
export const changed = (
  ctx: Ctx,
  id: string,
  { ifMatch }: { readonly ifMatch?: string | undefined },
  work: (ctx: Ctx) => Promise<unknown>,
): Promise<License> =>
  ctx.tx(async (ctx) => {
    await refuseStale(ctx, id, ifMatch);
    await work(ctx);
    return getAny(ctx, id);
  });

/** Puts a license into the trash; one that is there already stays as it is. @throws as `changed` */
export const trashBy = (
  ctx: Ctx,
  id: string,
  how: { readonly ifMatch?: string | undefined },
  reason: string | null,
): Promise<License> =>
  ctx.tx(async (ctx) => {
    // Who names a state has seen the license outside of the trash, and there it is not any more.
    if (how.ifMatch !== undefined) await get(ctx, id);
    return changed(ctx, id, how, (ctx) => trash(ctx, id, reason));
  });

/** Deletes a license in the trash for good. @throws as `changed`; CONFLICT outside of the trash */
export const purgeBy = (
  ctx: Ctx,
  id: string,
  { ifMatch }: { readonly ifMatch?: string | undefined },
): Promise<void> =>
  ctx.tx(async (ctx) => {
    await getAny(ctx, id);
    await refuseStale(ctx, id, ifMatch);
    await purge(ctx, id);
  });

/** Another key for a license. @returns null for `newKey` where it was not asked for */
export const replaceByStaff = (
  ctx: Ctx,
  id: string,
  { withKey = true, ...input }: z.output<typeof StaffReplaceKeyBody>,
  how: { readonly ifMatch?: string | undefined },
): Promise<{ license: License; newKey: string | null }> =>
  ctx.tx(async (ctx) => {
    const license = await changed(ctx, id, how, (ctx) => replaceKey(ctx, id, input));
    return { license, newKey: withKey ? await revealed(ctx, license, 'REKEY') : null };
  });

/** Whole keys, each of which its license's timeline tells of. @throws AppError NOT_FOUND for one that is not there */
export const revealAll = (
  ctx: Ctx,
  ids: readonly string[],
  reason: string,
): Promise<{ id: string; key: string }[]> =>
  ctx.tx(async (ctx) => {
    const keys: { id: string; key: string }[] = [];
    for (const id of ids) keys.push({ id, key: await revealed(ctx, await getAny(ctx, id), reason) });
    return keys;
  });

/** The whole key of a license. @throws AppError NOT_FOUND */
export async function revealOne(ctx: Ctx, id: string, reason: string): Promise<string> {
  const license = await forReveal(ctx, (await get(ctx, id)).id, reason);
  return openKey(ctx, license.sealedKey, license.id);
}
