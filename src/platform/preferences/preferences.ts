import type { Ctx } from '#kernel/context.ts';
import type { Preferences } from './record.ts';
import * as repo from './repository.ts';

/** What whoever chose nothing has. */
const DEFAULTS: Preferences = { theme: 'SYSTEM', density: 'COMFORTABLE', singleKeys: true };

/** How the panel looks and behaves for somebody. @param adminUserId null for nobody */
export const of = async (ctx: Ctx, adminUserId: string | null): Promise<Preferences> =>
  (adminUserId === null ? null : await repo.find(ctx, adminUserId)) ?? DEFAULTS;

/** Keeps what somebody chose for themselves. It concerns nobody else, so the audit log does not have it. */
export const save = (ctx: Ctx, adminUserId: string, preferences: Preferences): Promise<void> =>
  ctx.tx((ctx) => repo.put(ctx, adminUserId, preferences));
