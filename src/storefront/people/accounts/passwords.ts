import type { Ctx } from '#kernel/context.ts';
import { fail } from '#kernel/service/errors.ts';
import { weaknessOf } from '#platform/passwords/index.ts';
import { shopNameOf } from '#storefront/contract/settings.ts';

/**
 * Judges a new password of a customer by the rules of all passwords (reliability M13).
 *
 * @param path of the field that it was typed into
 * @throws AppError VALIDATION_ERROR about the field, whose rule says what is wrong
 */
export function checkPassword(ctx: Ctx, password: string, email: string, path = 'password'): void {
  const weakness = weaknessOf({ settings: ctx.settings, serviceName: shopNameOf(ctx) }, password, email);
  if (weakness) throw fieldFault(path, weakness.kind, weakness.message);
}

/** A refusal of one field. @param rule what is wrong, for pages that say it in another language */
export const fieldFault = (path: string, rule: string, message: string) =>
  fail('VALIDATION_ERROR', message, {
    details: { issues: [{ path, rule, message: `${message[0]?.toUpperCase()}${message.slice(1)}` }] },
  });
