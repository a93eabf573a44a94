import { z } from 'zod';
import { integer, optional, text } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';

/** What is said of a picture; null takes it away. */
export const MediaUpdate = later(() =>
  z.strictObject({
    alt: text({ max: 500 }).nullable().optional(),
    folder: text({ max: 100 }).nullable().optional(),
    focalX: optional(integer(0, 100)),
    focalY: optional(integer(0, 100)),
  }),
);
export type MediaUpdateInput = z.input<typeof MediaUpdate>;

/** How the variants are made again; the setting's quality when it is left out. */
export const Rebuild = later(() => z.strictObject({ quality: optional(integer(1, 100)) }));
