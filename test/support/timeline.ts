// The timeline of a license, as a test reads it.
import type { Ctx } from '#kernel/context.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';

/** The newest entries, oldest of them first. */
export const newestEvents = async (ctx: Ctx, licenseId: string, limit: number) =>
  (await licenses.timelineOf(ctx, licenseId, { offset: 0, limit })).items.reverse();
