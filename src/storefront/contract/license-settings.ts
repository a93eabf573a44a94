import { z } from 'zod';
import { type Setting, setting } from '#kernel/settings.ts';

export const REFUND_EFFECTS = ['revoke', 'suspend', 'keep'] as const;

export const licenseDefaultOnRefund = setting<(typeof REFUND_EFFECTS)[number]>({
  key: 'license_default_on_refund',
  group: 'licenses',
  description:
    'What a refund does to the refunded licenses, for license grants created from now on: revoke, suspend or keep',
  schema: z.enum(REFUND_EFFECTS),
  default: 'revoke',
});

/** Settings of licenses that are sold (storefront-domain 13). */
export const licenseSettings = [licenseDefaultOnRefund] as readonly Setting[];
