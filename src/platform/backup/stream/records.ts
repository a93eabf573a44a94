import { z } from 'zod';
import { later } from '#kernel/sharing.ts';
import { isLogId } from './names.ts';

/** Of the format; a program refuses one that is higher than its own. */
export const STREAM_FORMAT = 1;

const instant = z.iso.datetime({ precision: 3 });
const sealed = z.string().max(20_000).nullable();

export const Position = later(() =>
  z.object({
    salts: z.string().regex(/^[0-9a-f]{16}$/),
    offset: z.int().min(32),
    checksum: z.tuple([z.int().min(0), z.int().min(0)]).readonly(),
  }),
);

/** A log of which no commit is missing, from its first segment to its last one. */
export const LogRecord = later(() =>
  z.object({
    kind: z.literal('appctl-stream'),
    v: z.int().min(1),
    id: z.string().refine(isLogId),
    createdAt: instant,
    installation: z.string().max(100).nullable(),
    masterKeyId: z.string().max(100).nullable(),
    /** Public key that its files are encrypted to; null: they are not. */
    recipient: z.string().max(200).nullable(),
    /** The private one, encrypted as backups are; base64. */
    identity: sealed,
    /** The master key, encrypted likewise. */
    masterKey: sealed,
  }),
);
export type LogRecord = z.output<typeof LogRecord>;

/** A state of the database that a log leads on from. */
export const BaseRecord = later(() =>
  z.object({
    kind: z.literal('appctl-stream-base'),
    v: z.int().min(1),
    log: z.string().refine(isLogId),
    /** The first segment that is applied to it. */
    number: z.int().min(1),
    /** Where that one begins in the write-ahead log; null: at its beginning. */
    begin: Position.nullable(),
    /** The last segment that must be applied, since the copy may have pages of it; the one before the first for none. */
    upTo: z.int().min(0),
    /** It can be restored as of this moment and later. */
    takenAt: instant,
    /** Of the file as it is stored. */
    sizeBytes: z.int().min(0),
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
    /** Of the database file in it. */
    databaseBytes: z.int().min(0),
    version: z.string().max(100),
  }),
);
export type BaseRecord = z.output<typeof BaseRecord>;
