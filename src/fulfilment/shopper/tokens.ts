import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { fail } from '#kernel/service/errors.ts';
import { type IssuedTokenText, issueFor } from '#licensing/licenses/offline-tokens/index.ts';

/**
 * A token for a machine of a license that whoever asks owns.
 *
 * @throws AppError NOT_FOUND for an unknown machine; VALIDATION_ERROR, reason TOKEN_REFUSED, where the license service gives
 *   none: the license is not active, its policy forbids tokens, or no key signs them
 */
export async function tokenFor(
  ctx: Ctx,
  licenseId: string,
  activationId: string,
  ttlSeconds?: number,
): Promise<IssuedTokenText> {
  try {
    return await issueFor(ctx, licenseId, { activationId }, ttlSeconds);
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    if (error.code === 'NOT_FOUND' && error.message === 'Activation not found') throw error;
    throw fail('VALIDATION_ERROR', 'No offline token can be created for this machine', {
      details: { reason: 'TOKEN_REFUSED' },
    });
  }
}
