import { z } from 'zod';
import { flag, oneLine, optional, text } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { shopperEmail } from '#storefront/contract/shopper-email.ts';

/** Judged by the rules of passwords: here only what nobody may send. */
export const password = () => text({ min: 1, max: 1000 });
const name = () => optional(text({ max: 100, trim: true, form: oneLine }));

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

export const EmailBody = z.object({ email: text({ min: 1, max: 255 }) }).meta({ id: 'CustomerEmail' });

export const PasswordBody = z.object({ password: password() }).meta({ id: 'CustomerPassword' });

const code = () => text({ min: 1, max: 40 });
export const CodeBody = z.object({ code: code() }).meta({ id: 'CustomerCode' });

export const ChallengeBody = later(() =>
  z
    .object({
      challenge_id: text({ min: 1, max: 60 }),
      code: optional(code()),
      recovery_code: optional(code()),
    })
    .meta({ id: 'CustomerChallenge' }),
);

export const ResetBody = z
  .object({ token: text({ min: 1, max: 200 }), password: password() })
  .meta({ id: 'CustomerReset' });

export const DisableBody = z
  .object({ password: password(), code: code() })
  .meta({ id: 'CustomerTwoFactorOff' });

export const ChangePasswordBody = z
  .object({ current_password: password(), new_password: password() })
  .meta({ id: 'CustomerNewPassword' });

export const ChangeEmailBody = z
  .object({ password: password(), new_email: shopperEmail() })
  .meta({ id: 'CustomerNewEmail' });

export const TokenBody = z.object({ token: text({ min: 1, max: 200 }) }).meta({ id: 'MailedToken' });
