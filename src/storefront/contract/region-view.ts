import { z } from 'zod';
import { later } from '#kernel/sharing.ts';
import type { Region } from './regions.ts';

/** A region of a zone as staff see it. */
export const ZoneRegionView = later(() =>
  z
    .object({
      country: z.string(),
      state: z.string().nullable(),
      postal_pattern: z.string().nullable(),
    })
    .meta({ id: 'ZoneRegion' }),
);

export const zoneRegionView = ({
  country,
  state,
  postalPattern,
}: Region): z.output<typeof ZoneRegionView> => ({ country, state, postal_pattern: postalPattern });
