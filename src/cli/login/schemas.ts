import { z } from 'zod';

/** A saved login. */
export const ProfileShape = z.strictObject({
  profile: z.string(),
  server: z.string(),
  email: z.string(),
  expiresAt: z.string(),
});

export const LoginShape = ProfileShape.extend({ file: z.string() });

/** `revoked`: the server knows that it ended. */
export const LogoutShape = z.strictObject({
  ok: z.literal(true),
  profile: z.string(),
  server: z.string(),
  revoked: z.boolean(),
});

/** `email`: null for a token of a program. */
export const WhoamiShape = z.strictObject({
  server: z.string(),
  profile: z.string().nullable(),
  email: z.string().nullable(),
  token: z.string().nullable(),
  roles: z.array(z.string()),
  permissions: z.array(z.string()),
  scopes: z.record(z.string(), z.array(z.string())),
  expiresAt: z.string().nullable(),
});
