/** What staff send to the JSON of the store to sign in and about themselves, and what they are told (storefront-api.md, Q). */

import { z } from 'zod';
import { flag, instant, oneOf, optional, text } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { AdminUserView } from '../../accounts/index.ts';
import { StaffSessionView } from '../../accounts/view.ts';
import { PARTS } from '../../permissions/index.ts';

/** The answer of the store's JSON. */
export const data = <S extends z.ZodType>(schema: S) => z.object({ data: schema });

const password = () => text({ min: 1, max: 1000 }).meta({ format: 'password' });
const token = () => text({ min: 1, max: 200 }).describe('The last part of the emailed link');
const emailAddress = () => text({ min: 1, max: 255 });

export const Login = z.object({ email: emailAddress(), password: password() }).meta({ id: 'AdminLogin' });

export const SecondStep = later(() =>
  z
    .object({
      challenge_id: text({ min: 1, max: 64 }),
      code: optional(text({ max: 20 })).describe(
        'Six digits from the authenticator app; needed when two-factor sign-in is on',
      ),
      recovery_code: optional(text({ max: 40 })).describe('Instead of `code`; each works once'),
    })
    .meta({ id: 'AdminLoginSecondStep' }),
);

export const Password = z.object({ password: password() }).meta({ id: 'AdminPassword' });
export const PasswordAndCode = z
  .object({ password: password(), code: text({ min: 1, max: 20 }) })
  .meta({ id: 'AdminPasswordAndCode' });
export const Code = z.object({ code: text({ min: 1, max: 20 }) }).meta({ id: 'AdminCode' });
export const NewPassword = later(() =>
  z.object({ current_password: password(), new_password: password() }).meta({ id: 'AdminNewPassword' }),
);
export const Forgotten = z.object({ email: emailAddress() }).meta({ id: 'AdminForgotten' });
export const Reset = later(() =>
  z.object({ token: token(), password: password() }).meta({ id: 'AdminReset' }),
);
export const Invited = later(() =>
  z
    .object({ token: token(), name: text({ min: 1, max: 255, trim: true }), password: password() })
    .meta({ id: 'AdminInvited' }),
);
export const OwnChanges = later(() =>
  z
    .object({
      name: optional(text({ min: 1, max: 255, trim: true })),
      timezone: text({ min: 1, max: 64 })
        .nullable()
        .optional()
        .describe(
          "IANA name such as Europe/Berlin, for clients that show times; null for the server's time zone",
        ),
    })
    .meta({ id: 'AdminOwnChanges' }),
);

/** What has to be done before anything else. */
const owes = oneOf(['SECOND_FACTOR', 'NEW_PASSWORD'])
  .nullable()
  .describe('What has to be done before anything else is allowed');
/** For `X-CSRF-Token` of the writes that follow; null where no browser asks. */
const csrf_token = z.string().nullable();

export const SignedIn = z.object({ admin: AdminUserView, csrf_token, owes }).meta({ id: 'AdminSignedIn' });
export const SignedInOrChallenged = z
  .union([
    SignedIn,
    z
      .object({ two_factor_required: z.literal(true), challenge_id: z.string(), csrf_token })
      .meta({ id: 'AdminChallenge' }),
  ])
  .meta({ id: 'AdminSignedInOrChallenge' });
export const SignedOut = z.object({ logged_out: z.literal(true) });
export const Proven = z.object({ proven_until: instant() });
export const Me = later(() =>
  z.object({ ...AdminUserView.shape, permissions: z.array(z.string()), owes }).meta({ id: 'OwnAdminUser' }),
);
export const PasswordChanged = z.object({
  changed: z.literal(true),
  csrf_token: csrf_token.describe('For the session, which continues with a new ID; all others ended'),
});
export const SentAlways = z.object({ sent: z.literal(true) });
export const PasswordReset = z.object({ reset: z.literal(true) });
export const Joined = z.object({ admin: AdminUserView });

const { id, ip, createdAt, lastSeenAt, userAgent } = StaffSessionView.shape;
export const OwnSession = z
  .object({
    ...{ id, ip },
    user_agent: userAgent,
    created_at: createdAt,
    last_seen_at: lastSeenAt,
    current: z.boolean(),
  })
  .meta({ id: 'AdminSession' });
export const Deleted = z.object({ deleted: z.literal(true) });

export const TwoFactorBegun = later(() =>
  z.object({
    secret: z.string().describe('Base32, for typing it into the app'),
    otpauth_url: z.string(),
    qr_svg: z.string().describe('The same as a picture, as SVG'),
  }),
);
export const RecoveryCodes = later(() =>
  z.object({ recovery_codes: z.array(z.string()).describe('Shown only once') }),
);
export const TwoFactorOff = z.object({ enabled: flag() });

export const PermissionArea = later(() =>
  z
    .object({
      area: oneOf(PARTS as [string, ...string[]]),
      permissions: z.array(z.object({ key: z.string(), label: z.string() })),
    })
    .meta({ id: 'PermissionArea' }),
);
