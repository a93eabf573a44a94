import { z } from 'zod';
import { instant } from '#kernel/http/fields.ts';
import { shownBy, storedView } from '#kernel/service/view.ts';
import { later } from '#kernel/sharing.ts';
import { type Hit, hitRecord } from './record.ts';

/** REPLACED: a license whose replaced key became a honeypot (6.9). */
export const HONEYPOT_KINDS = ['CANARY', 'REPLACED'] as const;

/** A honeypot as staff see it. */
export const HoneypotView = later(() =>
  z
    .object({
      id: z.string(),
      kind: z.enum(HONEYPOT_KINDS),
      label: z.string().nullable(),
      productId: z.string(),
      productSlug: z.string(),
      keyPrefix: z.string(),
      keyMasked: z.string(),
      blockIpSeconds: z.int().nullable(),
      /** Uses in all. */
      hits: z.int(),
      lastHitAt: instant().nullable(),
      createdAt: instant(),
    })
    .meta({ id: 'Honeypot' }),
);
export type Honeypot = z.output<typeof HoneypotView>;

/** With its key, which is shown only when it is made. */
export const HoneypotMade = later(() =>
  HoneypotView.extend({ key: z.string().optional() }).meta({ id: 'HoneypotMade' }),
);

/** Uses of one key from one address within an hour. */
export const HitView = later(() =>
  z
    .object({
      ...storedView(hitRecord, ['id']).shape,
      keyPrefix: z.string(),
      ...storedView(hitRecord, ['ip', 'endpoint', 'machineId', 'userAgent', 'count', 'firstAt', 'lastAt'])
        .shape,
    })
    .meta({ id: 'HoneypotHit' }),
);
export type HitView = z.output<typeof HitView>;

export const hitView = (hit: Hit): HitView => shownBy(HitView, hit);
