import { z } from 'zod';
import { later } from '#kernel/sharing.ts';
import { isLogId } from './names.ts';

/** Of the format; a program does not use one that is higher than its own. */
export const FILES_FORMAT = 1;

const instant = z.iso.datetime({ precision: 3 });

/** Files of one installation that the same keys open. */
export const FileSetRecord = later(() =>
  z.object({
    kind: z.literal('appctl-stream-files'),
    v: z.int().min(1),
    id: z.string().refine(isLogId),
    createdAt: instant,
    installation: z.string().max(100).nullable(),
    /** Public key that its files are encrypted to; null: they are not. */
    recipient: z.string().max(200).nullable(),
    /** The private one, encrypted as backups are; base64. */
    identity: z.string().max(20_000).nullable(),
  }),
);
export type FileSetRecord = z.output<typeof FileSetRecord>;
