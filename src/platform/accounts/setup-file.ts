import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Ctx } from '#kernel/context.ts';

/** Purpose of the link that makes the owner. */
export const SETUP = 'setup';

/** Where the link of a new installation is kept. */
export const setupFile = ({ dataDir }: Pick<Ctx, 'dataDir'>): string => join(dataDir, 'setup-token');

/** Takes the file away once there is an owner: its link leads nowhere any more. */
export const removeSetupFile = (ctx: Pick<Ctx, 'dataDir'>): void => rmSync(setupFile(ctx), { force: true });
