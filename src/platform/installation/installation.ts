import type { Ctx } from '#kernel/context.ts';
import * as repo from './repository.ts';

/** Id of the master key that the database's secrets are sealed with; null before the first start. */
export const readMasterKeyId = (ctx: Ctx): Promise<string | null> => repo.findMasterKeyId(ctx);

/** Binds the database to a master key, unless a racing start was faster; answers which key it is bound to. */
export const claimMasterKeyId = (ctx: Ctx, keyId: string): Promise<string> =>
  ctx.tx(async (ctx) => {
    await repo.insertMasterKeyId(ctx, keyId);
    return (await repo.findMasterKeyId(ctx)) as string;
  });
