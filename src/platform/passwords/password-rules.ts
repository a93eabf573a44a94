import type { Ctx } from '#kernel/context.ts';
import type { AppError } from '#kernel/errors.ts';
import { textFault } from '#kernel/http/fields.ts';
import { fail } from '#kernel/service/errors.ts';
import { isCommon } from './common-passwords.ts';
import { MAX_PASSWORD_LENGTH, minPasswordLength } from './local.ts';

/**
 * Judges a new password before it is hashed: its length in code points, passwords that everybody tries, and those that
 * the account itself gives away (reliability M13).
 *
 * @param email of the account
 * @throws AppError VALIDATION_ERROR about the field `password`
 */
export function checkNewPassword(
  ctx: Pick<Ctx, 'settings' | 'serviceName'>,
  password: string,
  email: string,
): void {
  const fault = newPasswordFault(ctx, password, email);
  if (fault !== null) throw passwordFault(fault);
}

/** What is wrong with a new password, of the field that it was typed into. */
export const passwordFault = (message: string, path = 'password', hint?: unknown): AppError =>
  // Beside a field it is a sentence of its own, which the name of the field does not begin.
  fail('VALIDATION_ERROR', message, {
    details: {
      issues: [{ path, rule: 'invalid', message: `${message[0]?.toUpperCase()}${message.slice(1)}` }],
      ...(hint !== undefined && { hint }),
    },
  });

/**
 * What is wrong with a new password, or null: as checkNewPassword, for who asks before the account is made.
 *
 * @param email of the account
 */
export const newPasswordFault = (...asked: Parameters<typeof weaknessOf>): string | null =>
  weaknessOf(...asked)?.message ?? null;

/** What is wrong with a new password: a word for programs, and a sentence. */
export interface Weakness {
  readonly kind: 'length' | 'unreadable' | 'email' | 'name' | 'common';
  readonly message: string;
}

/** As `newPasswordFault`, for who says it in another language. @param serviceName that it must not be made of */
export function weaknessOf(
  { settings, serviceName }: Pick<Ctx, 'settings' | 'serviceName'>,
  password: string,
  email: string,
): Weakness | null {
  const fewest = settings.get(minPasswordLength);
  const length = [...password].length;
  if (length < fewest || length > MAX_PASSWORD_LENGTH)
    return {
      kind: 'length',
      message: `the password must have ${fewest} to ${MAX_PASSWORD_LENGTH} characters`,
    };
  const unreadable = textFault(password, fewest, MAX_PASSWORD_LENGTH);
  if (unreadable) return { kind: 'unreadable', message: `the password ${unreadable.message}` };
  const lower = password.toLowerCase();
  const known = [email, ...email.split('@')].map((part) => part.trim().toLowerCase());
  if (known.some((part) => isMadeOf(lower, part)))
    return { kind: 'email', message: 'the password must not be based on the email address' };
  if (isMadeOf(lower, serviceName.toLowerCase()))
    return { kind: 'name', message: `the password must not be based on the name ${serviceName}` };
  if (!isCommon(password)) return null;
  return { kind: 'common', message: 'the password is too common; choose another one' };
}

/** Whether a password is a word with at most a few digits or signs around it. */
const isMadeOf = (lower: string, word: string): boolean =>
  word !== '' && lower.includes(word) && /^[^\p{L}]*$/u.test(lower.replaceAll(word, '')) && word.length >= 3;
