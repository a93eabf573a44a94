import { z } from 'zod';
import { instant, integer, optional, text } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { keyedBody, machineIdField, nonceField } from '#licensing/contract/fields.ts';
import { bounds } from '#licensing/contract/limits.ts';
import { Activation, LicensePublic } from '#licensing/contract/replies.ts';

const ttl = () => integer(bounds.offlineTtlSeconds.min, bounds.offlineTtlSeconds.max);

/** Body of offline-token (licensing 6.2). */
export const OfflineTokenBody = keyedBody('licenseKey', {
  machineId: machineIdField(),
  appVersion: optional(text({ max: bounds.appVersion })),
  ttlSeconds: optional(ttl()),
  nonce: optional(nonceField()),
}).meta({ id: 'OfflineTokenBody' });
export type OfflineTokenInput = z.output<typeof OfflineTokenBody>;

/** What staff and the storefront ask with. */
export const StaffTokenInput = z.strictObject({ machineId: machineIdField(), ttlSeconds: ttl() });

/** Reply of offline-token; the surface adds `success`. */
export const OfflineTokenReply = later(() =>
  z
    .object({
      message: z.string(),
      /** `license/<P>.<S>.<DP>.<DS>`. */
      token: z.string(),
      expiresAt: instant(),
      license: LicensePublic,
      activation: Activation,
      nonce: z.string().optional(),
    })
    .meta({ id: 'OfflineTokenIssued' }),
);
