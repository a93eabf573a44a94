import type { Ctx } from '#kernel/context.ts';
import { equalSecrets, newToken } from '#kernel/crypto.ts';
import { invalidField } from '#kernel/service/errors.ts';

/** Printable ASCII, 16 to 255 characters: shorter ones can be guessed, others are read differently by receivers. */
const SECRET = /^[\x21-\x7e][\x20-\x7e]{14,253}[\x21-\x7e]$/;

/**
 * The signing secret of a webhook: the one that is given, else a new one, `whs_` and 256 random bits.
 *
 * @throws AppError VALIDATION_ERROR for an own secret that is empty, too short, too long or not printable
 */
export function signingSecret(own: string | undefined): string {
  if (own === undefined) return newToken('whs_');
  if (SECRET.test(own)) return own;
  throw invalidField(
    'secret',
    own.length < 16 || own.length > 255
      ? `must have 16 to 255 characters; this one has ${own.length}`
      : 'must be printable ASCII without leading or trailing spaces',
  );
}

/** Ciphertexts are bound to their row and column (M11). */
const owner = (id: string, part: 'secret' | 'previous' | 'headers'): string => `webhook:${id}:${part}`;

export const sealSecret = (ctx: Ctx, id: string, secret: string): string =>
  ctx.keyring.seal('secret', secret, owner(id, 'secret'));

/** Whether a secret is the current one. */
export const isSealed = (ctx: Ctx, id: string, sealed: string, secret: string): boolean =>
  equalSecrets(ctx.keyring.open('secret', sealed, owner(id, 'secret')), secret);

/** The current secret, sealed anew as the previous one. */
export const sealAsPrevious = (ctx: Ctx, id: string, sealed: string): string => {
  const secret = ctx.keyring.open('secret', sealed, owner(id, 'secret'));
  return ctx.keyring.seal('secret', secret, owner(id, 'previous'));
};

/** null for none: a row without headers needs no key to be read. */
export const sealHeaders = (
  ctx: Ctx,
  id: string,
  headers: Readonly<Record<string, string>>,
): string | null =>
  Object.keys(headers).length === 0
    ? null
    : ctx.keyring.seal('secret', JSON.stringify(headers), owner(id, 'headers'));

/** Names of sealed headers, in the order in which they are sent. */
export const namesOfHeaders = (ctx: Ctx, id: string, sealed: string | null): string[] =>
  sealed === null ? [] : Object.keys(JSON.parse(ctx.keyring.open('secret', sealed, owner(id, 'headers'))));
