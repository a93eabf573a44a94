import { z } from 'zod';
import { flag, optional, text } from '#kernel/http/fields.ts';
import { shopperEmail } from '#storefront/contract/shopper-email.ts';

/** Judged by the rules of passwords: here only what nobody may send. */
export const password = () => text({ min: 1, max: 1000 });
const name = () => optional(text({ max: 100, trim: true }));

export const RegisterBody = z
  .object({
    email: shopperEmail(),
    password: password(),
    first_name: name(),
    last_name: name(),
    accepts_marketing: optional(flag()),
  })
  .meta({ id: 'CustomerRegister' });

export const LoginBody = z
  .object({ email: text({ min: 1, max: 255 }), password: password(), remember: optional(flag()) })
  .meta({ id: 'CustomerLogin' });

export const TokenBody = z.object({ token: text({ min: 1, max: 200 }) }).meta({ id: 'MailedToken' });
