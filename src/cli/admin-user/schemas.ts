import { z } from 'zod';
import { StaffSessionView, StaffView } from '#platform/accounts/view.ts';
import { dryRun, Instant, pageShape } from '../shapes.ts';

/** What `admin user create` prints: the secret that nobody can read again is there once. */
export const CreateOutput = StaffView.extend({
  password: z.string().optional(),
  inviteUrl: z.string().optional(),
  dryRun,
});

export const ResetPasswordOutput = z.strictObject({
  id: z.string(),
  password: z.string().optional(),
  resetUrl: z.string().optional(),
  expiresAt: Instant.optional(),
  sessionsRevoked: z.int(),
  dryRun,
});

export const TwoFactorOutput = z.strictObject({
  id: z.string(),
  enabled: z.boolean(),
  recoveryCodesLeft: z.int(),
  dryRun,
});

export const SessionsOutput = pageShape(StaffSessionView);

export const RevokedOutput = z.strictObject({ id: z.string(), sessionsRevoked: z.int(), dryRun });

/** A link that works once. */
export const LinkOutput = z.strictObject({ url: z.string(), expiresAt: Instant });
