import { z } from 'zod';
import type { IssuedToken } from '#licensing/licenses/offline-tokens/index.ts';
import { dryRun, Instant, pageShape } from '../shapes.ts';

/** `token` is null on the plan of a token. */
export const LicenseTokenOutput = z.strictObject({
  token: z.string().nullable(),
  expiresAt: Instant,
  dryRun,
});

const Token = z.strictObject({
  id: z.string(),
  licenseId: z.string(),
  activationId: z.string().nullable(),
  machineDigest: z.string(),
  issuedAt: Instant,
  expiresAt: Instant,
  issuedBy: z.string(),
}) satisfies z.ZodType<IssuedToken>;

export const LicenseTokenPage = pageShape(Token);
