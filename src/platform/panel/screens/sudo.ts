import type { Ctx } from '#kernel/context.ts';
import type { Shown } from '#kernel/http/page.ts';
import type { Visitor } from '#kernel/http/visitor.ts';
import * as accounts from '../../accounts/index.ts';

/**
 * Where somebody gives the password again before something dangerous (admin.md 2.2).
 *
 * @param isAsked whether the operation asks for it
 * @param back address to which it leads then
 * @returns null when it was given lately, and where nobody asks
 */
export const sudoFirst = (ctx: Ctx, visitor: Visitor, isAsked: boolean, back: string): Shown | null =>
  isAsked ? accounts.sudoFirst(ctx, visitor, back) : null;
