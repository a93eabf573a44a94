import { z } from 'zod';
import { count, flag, instant, integer, oneOf, optional, text } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { StaffSessionView } from './view.ts';

export const MOST_ROLES = 50;
const MOST_SCOPES = 1000;
const LONGEST_LINK_SECONDS = 86_400;

const password = () => text({ min: 1, max: 1000 }).meta({ format: 'password' });
const roles = () => optional(z.array(text({ min: 1, max: 63 }), { error: 'must be a list' }).max(MOST_ROLES));

/** Input that adds an account: without a password its owner chooses one by a link. */
export const StaffCreate = later(() =>
  z.strictObject({
    email: text({ min: 1, max: 255 }),
    name: optional(text({ min: 1, max: 255 })),
    roles: roles(),
    password: optional(password()),
    mustChangePassword: optional(flag()),
  }),
);

const scope = () =>
  z.strictObject({ kind: oneOf(['tenant', 'license_product', 'vendor']), refId: text({ min: 1, max: 63 }) });

/** Input that changes an account; a list of roles or scopes replaces the one before. */
export const StaffUpdate = later(() =>
  z.strictObject({
    email: optional(text({ min: 1, max: 255 })),
    name: optional(text({ min: 1, max: 255 })),
    roles: roles(),
    scopes: optional(z.array(scope(), { error: 'must be a list' }).max(MOST_SCOPES)),
  }),
);

export const StaffPasswordBody = later(() =>
  z
    .strictObject({ password: password(), mustChangePassword: optional(flag()) })
    .meta({ id: 'StaffPasswordBody' }),
);
export const LoginLinkBody = later(() =>
  z.strictObject({ seconds: optional(integer(1, LONGEST_LINK_SECONDS)) }).meta({ id: 'LoginLinkBody' }),
);
export const EndSessionsBody = z
  .strictObject({ sessionId: optional(text({ min: 1, max: 100 })) })
  .meta({ id: 'EndSessionsBody' });

/** A link that opens an account once. */
export const StaffLink = z.object({ url: z.string(), expiresAt: instant() }).meta({ id: 'StaffLink' });
export const StaffSessions = z.object({ items: z.array(StaffSessionView) }).meta({ id: 'StaffSessions' });
export const SessionsRevoked = z.object({ sessionsRevoked: count() }).meta({ id: 'SessionsRevoked' });
