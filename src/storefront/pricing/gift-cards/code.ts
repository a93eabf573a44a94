import type { Ctx } from '#kernel/context.ts';
import { secureRandom } from '#kernel/random.ts';

/** Crockford's base32: 32 signs, so that a byte chooses one of them evenly. */
const SIGNS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LENGTH = 16;
const FORM = /^[0-9A-HJKMNP-TV-Z]{16}$/;
/** What people write between the groups. */
const BETWEEN = /[\s\p{Pd}_.]/gu;
/** More than anybody types for one code. */
const MOST_TYPED = 100;

/** A new code, 80 random bits, without hyphens. */
export const newCode = (): string =>
  [...secureRandom(LENGTH)].map((byte) => SIGNS[byte % SIGNS.length]).join('');

/** A code as people read it, in groups of four. */
export const shownCode = (norm: string): string => norm.replaceAll(/(.{4})(?=.)/g, '$1-');

/**
 * A code as it was typed, in its one form: without spaces and hyphens, in capitals, and what looks like a digit is one.
 *
 * @returns null for what cannot be a code
 */
export function normOf(typed: string): string | null {
  if (typed.length > MOST_TYPED) return null;
  const norm = typed
    .normalize('NFKC')
    .replaceAll(BETWEEN, '')
    .toUpperCase()
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1');
  return FORM.test(norm) ? norm : null;
}

/** By what a card is found: the code itself is kept nowhere (storefront-domain 4.9). */
export const hashOf = ({ keyring }: Pick<Ctx, 'keyring'>, norm: string): string =>
  keyring.digest('lookup', `gift-card:${norm}`);

const ownerOf = (id: string): string => `gift-card:${id}:code`;

/** A code that somebody still has to be sent, as it is kept until then. */
export const sealed = ({ keyring }: Pick<Ctx, 'keyring'>, id: string, norm: string): string =>
  keyring.seal('secret', norm, ownerOf(id));

export const opened = ({ keyring }: Pick<Ctx, 'keyring'>, id: string, text: string): string =>
  keyring.open('secret', text, ownerOf(id));
