import type { Ctx } from '#kernel/context.ts';
import type { Visitor } from '#kernel/http/visitor.ts';
import { revealToOwner } from '#licensing/licenses/licenses/index.ts';
import { isFreshProof, noteProof, proofOf } from '#platform/sessions/index.ts';
import { fieldFault, provePassword } from '#storefront/people/accounts/index.ts';
import { ownLicense } from './owned.ts';

/** So long after the password was given a key is shown without it (fulfilment 8). */
const FRESH_SECONDS = 15 * 60;

/** Whether the password must be given again before a key is shown. */
export const needsPassword = (ctx: Ctx, { session }: Visitor, customerId: string): boolean =>
  !isFreshProof(ctx, proofOf(session, customerId), FRESH_SECONDS);

/**
 * The whole key of a license, for the customer who bought it. The timeline of the license and the audit log say so.
 *
 * @param password needed only when the customer has not given it in this browser for a while
 * @throws AppError NOT_FOUND; VALIDATION_ERROR about `password`
 */
export async function reveal(
  ctx: Ctx,
  visitor: Visitor,
  {
    customerId,
    licenseId,
    password,
  }: { readonly customerId: string; readonly licenseId: string; readonly password: string },
): Promise<string> {
  const { card } = await ownLicense(ctx, customerId, licenseId);
  if (needsPassword(ctx, visitor, customerId)) {
    if (password === '') throw fieldFault('password', 'required', 'enter the password again');
    if (!(await provePassword(ctx, customerId, password)))
      throw fieldFault('password', 'wrong', 'the password is wrong');
    noteProof(ctx, visitor.session, customerId);
  }
  return revealToOwner(ctx, card.id);
}
