import type { Ctx } from '#kernel/context.ts';
import { defineIds } from '#kernel/ids.ts';
import * as repo from './repository.ts';

const ids = defineIds({ installation: 'ins' });

/** Id of the master key that the database's secrets are sealed with; null before the first start. */
export const readMasterKeyId = (ctx: Ctx): Promise<string | null> => repo.find(ctx, 'masterKey');

/** Binds the database to a master key, unless a racing start was faster; answers which key it is bound to. */
export const claimMasterKeyId = (ctx: Ctx, keyId: string): Promise<string> =>
  ctx.tx(async (ctx) => {
    await repo.insert(ctx, 'masterKey', keyId);
    return (await repo.find(ctx, 'masterKey')) as string;
  });

/** Id of the installation; null before the first start of a program that gives one. */
export const readInstallationId = (ctx: Ctx): Promise<string | null> => repo.find(ctx, 'installation');

/** Gives the installation its id, unless it has one. */
export const claimInstallationId = (ctx: Ctx): Promise<string> =>
  ctx.tx(async (ctx) => {
    await repo.insert(ctx, 'installation', ctx.newId(ids.installation));
    return (await repo.find(ctx, 'installation')) as string;
  });
