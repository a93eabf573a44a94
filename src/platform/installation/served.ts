import type { Ctx } from '#kernel/context.ts';
import * as repo from './repository.ts';

/** The address under which a server was last reached; null before the first start that had one. */
export const readServedAt = (ctx: Ctx): Promise<repo.ServedAt | null> => repo.findServed(ctx);

/**
 * Keeps the address of a server that starts: commands that are told no base_url make their links with it. Of several
 * servers on one database those that were told an address count before those that made it out of what they listen on.
 *
 * @param isShared whether other servers may work on the same database
 */
export const keepServedAt = (ctx: Ctx, served: repo.ServedAt, isShared: boolean): Promise<void> =>
  ctx.tx(async (ctx) => {
    const before = await repo.findServed(ctx);
    if (before?.url === served.url && before.isSet === served.isSet) return;
    if (isShared && before?.isSet === true && !served.isSet) return;
    await repo.writeServed(ctx, served);
  });
