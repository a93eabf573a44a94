import type { Ctx } from '#kernel/context.ts';
import { goFirst, type Shown } from '#kernel/http/page.ts';
import type { Visitor } from '#kernel/http/visitor.ts';
import { leadingBack } from '#kernel/http/visitors.ts';
import { isFreshProof, proofOf } from '../sessions/index.ts';

/** Whether whoever is signed in gave the password within the last ten minutes (admin.md 7). */
export const hasSudo = (ctx: Ctx, { actor, session }: Visitor): boolean =>
  actor.id !== null && isFreshProof(ctx, proofOf(session, actor.id));

/**
 * The page that asks for the password, for a page that needs it again.
 *
 * @param path of the page, to which it leads back
 * @returns null when it was given lately
 */
export const sudoFirst = (ctx: Ctx, visitor: Visitor, path: string): Shown | null =>
  hasSudo(ctx, visitor) ? null : goFirst(leadingBack('/admin/sudo', path));
