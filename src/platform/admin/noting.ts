import type { Ctx } from '#kernel/context.ts';

/** The ctx of a change that somebody gave a reason for: each of its rows in the audit log has it. */
export const noting = (ctx: Ctx, { note }: { readonly note?: string | undefined }): Ctx =>
  note === undefined ? ctx : ctx.with({ origin: { ...ctx.origin, note } });
