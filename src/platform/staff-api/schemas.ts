/** What staff send to sign in and about themselves, and what they are told (licensing 4.2). */

import { z } from 'zod';
import { instant, oneOf, optional, text } from '#kernel/http/fields.ts';
import { storedView } from '#kernel/service/view.ts';
import { later } from '#kernel/sharing.ts';
import { StaffSessionView, StaffView } from '../accounts/view.ts';
import { adminTokenRecord } from '../admin-tokens/index.ts';
import { PARTS } from '../permissions/index.ts';

const password = () => text({ min: 1, max: 1000 }).meta({ format: 'password' });
const secondFactor = {
  code: optional(text({ max: 20 })).describe(
    'Six digits from the authenticator app; needed when two-factor sign-in is on',
  ),
  recoveryCode: optional(text({ max: 40 })).describe('Instead of `code`; each works once'),
};

export const SignInBody = later(() =>
  z
    .strictObject({ email: text({ min: 1, max: 255 }), password: password(), ...secondFactor })
    .meta({ id: 'SignInBody' }),
);
export const TokenBody = later(() =>
  SignInBody.extend({
    name: optional(text({ min: 1, max: 100 })).describe('Name of the token, such as the name of the machine'),
  }).meta({ id: 'TokenBody' }),
);
export const PasswordBody = later(() =>
  z.strictObject({ password: password() }).meta({ id: 'PasswordBody' }),
);
export const NewPasswordBody = later(() =>
  z.strictObject({ currentPassword: password(), password: password() }).meta({ id: 'NewPasswordBody' }),
);
export const CodeBody = z.strictObject({ code: text({ min: 1, max: 20 }) }).meta({ id: 'CodeBody' });
export const OwnNameBody = z.strictObject({ name: text({ min: 1, max: 255 }) }).meta({ id: 'OwnNameBody' });
export const ViewAsBody = z.strictObject({ userId: text({ min: 1, max: 30 }) }).meta({ id: 'ViewAsBody' });

/** For `X-CSRF-Token` of the writes that follow; null where no browser asks. */
const csrfToken = z.string().nullable();

export const SignedIn = z.object({ user: StaffView, csrfToken }).meta({ id: 'SignedIn' });
export const SignedOut = z.object({ signedOut: z.literal(true) }).meta({ id: 'SignedOut' });
export const TokenMade = later(() =>
  z
    .object({
      id: z.string(),
      token: z.string().describe('The secret, shown only once; send it as `Authorization: Bearer`'),
      expiresAt: instant(),
      user: StaffView,
    })
    .meta({ id: 'TokenMade' }),
);
export const Proven = z.object({ provenUntil: instant() }).meta({ id: 'Proven' });
export const PasswordChanged = later(() =>
  z
    .object({
      changed: z.literal(true),
      csrfToken: csrfToken.describe(
        'For the session, which continues with a new ID; null for a login token, which has ended',
      ),
    })
    .meta({ id: 'PasswordChanged' }),
);

const Person = later(() => z.object({ id: z.string(), label: z.string().nullable() }));
const ids = () => z.array(z.string()).optional();

/** Who asks, and what that opens. */
export const Me = later(() =>
  z
    .object({
      /** null for a token of a program, and on the machine itself. */
      user: StaffView.nullable(),
      /** null for a browser. */
      token: storedView(adminTokenRecord, ['id', 'name', 'expiresAt']).nullable(),
      roles: z.array(z.string()),
      permissions: z.array(z.string()),
      /** A kind that is absent confines to nothing. */
      scopes: z.object({ tenant: ids(), license_product: ids(), vendor: ids() }),
      /** What has to be done before anything else. */
      owes: oneOf(['SECOND_FACTOR', 'NEW_PASSWORD']).nullable(),
      /** Who really looks, while somebody views as `user`. */
      viewing: Person.nullable(),
      csrfToken,
    })
    .meta({ id: 'Me' }),
);
export type Me = z.output<typeof Me>;

const OwnSession = later(() =>
  StaffSessionView.extend({ isCurrent: z.boolean() }).meta({ id: 'OwnSession' }),
);
export const OwnSessions = z.object({ sessions: z.array(OwnSession) }).meta({ id: 'OwnSessions' });
export const SessionEnded = z.object({ ended: z.literal(true) }).meta({ id: 'SessionEnded' });
export const SessionsEnded = later(() => z.object({ ended: z.int().min(0) }).meta({ id: 'SessionsEnded' }));

export const TwoFactorBegun = later(() =>
  z
    .object({
      secret: z.string().describe('Base32, for typing it into the app'),
      otpauthUrl: z.string().describe('Content of the QR code'),
    })
    .meta({ id: 'TwoFactorBegun' }),
);
export const RecoveryCodes = later(() =>
  z.object({ recoveryCodes: z.array(z.string()).describe('Shown only once') }).meta({ id: 'RecoveryCodes' }),
);
export const TwoFactorOff = z.object({ enabled: z.literal(false) }).meta({ id: 'TwoFactorOff' });

export const Viewing = later(() =>
  z.object({ user: StaffView, viewing: Person.nullable(), csrfToken }).meta({ id: 'Viewing' }),
);

const PermissionView = z.object({ key: z.string(), label: z.string() });
export const PermissionCatalogue = later(() =>
  z
    .object({
      areas: z.array(
        z.object({ name: oneOf(PARTS as [string, ...string[]]), permissions: z.array(PermissionView) }),
      ),
    })
    .meta({ id: 'PermissionCatalogue' }),
);
