import { z } from 'zod';
import { count } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import type { VariantLicense } from '#storefront/contract/extensions.ts';

const maybe = () => z.string().nullable();

/** The license that a variant is sold with. */
export const VariantLicenseView = later(() =>
  z
    .object({
      type: z.string(),
      tier: z.string(),
      duration_days: count().nullable().describe('null: never expires'),
      max_activations: count().describe('Machines or seats per unit'),
      by_seats: z.boolean().describe('All units share one license'),
      max_version: maybe().describe('Newest version that it covers; null: all versions'),
      release: z
        .object({
          version: z.string(),
          published_at: maybe(),
          size: count().describe('Bytes'),
          changelog: maybe(),
        })
        .nullable()
        .describe('The newest release, which buyers get right away'),
    })
    .meta({ id: 'VariantLicense' }),
);

export const variantLicenseView = (one: VariantLicense): z.output<typeof VariantLicenseView> => ({
  type: one.type,
  tier: one.tier,
  duration_days: one.durationDays,
  max_activations: one.maxActivations,
  by_seats: one.isBySeats,
  max_version: one.maxVersion,
  release: one.release && {
    version: one.release.version,
    published_at: one.release.publishedAt,
    size: one.release.sizeBytes,
    changelog: one.release.changelog,
  },
});
