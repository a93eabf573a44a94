import { z } from 'zod';
import type { LocalPart } from '#kernel/capability.ts';
import { setting } from '#kernel/settings.ts';

export const webpQuality = setting({
  key: 'media_webp_quality',
  group: 'media',
  description: 'Quality of the pictures that are made from uploaded ones, 1 to 100; larger files above 90',
  schema: z.int('must be a whole number').min(1).max(100),
  default: 82,
});

export const mediaLocal = { name: 'media', settings: [webpQuality] } satisfies LocalPart;
