import type { Ctx } from '#kernel/context.ts';
import { goFirst, type Shown } from '#kernel/http/page.ts';
import type { Visitor } from '#kernel/http/visitor.ts';
import { isFreshProof, proofOf } from '../../sessions/index.ts';

/**
 * Where somebody gives the password again before something dangerous (admin.md 2.2).
 *
 * @param back address to which it leads then
 * @returns null when it was given lately
 */
export function sudoFirst(
  ctx: Ctx,
  { actor, session }: Visitor,
  isAsked: boolean,
  back: string,
): Shown | null {
  if (!isAsked || isFreshProof(ctx, proofOf(session, actor.id ?? ''))) return null;
  return goFirst(`/admin/sudo?next=${encodeURIComponent(back)}`);
}
