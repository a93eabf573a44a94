import { z } from 'zod';
import { later } from '#kernel/sharing.ts';

/** Of the format; a program refuses one that is higher than its own. */
export const FORMAT = 1;

const count = z.int().min(0);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const instant = z.iso.datetime({ precision: 3 });
const dialect = z.enum(['sqlite', 'postgres']);

const Origin = later(() =>
  z.object({
    /** Of the program that made it. */
    version: z.string().max(100),
    /** Name of the newest migration. */
    schemaVersion: z.string().max(200),
    createdAt: instant,
    /** Id of the installation; null before the first start of a program that gives one. */
    installation: z.string().max(100).nullable(),
    /** Of the key that secrets in the database are encrypted with. */
    masterKeyId: z.string().max(100).nullable(),
    /** Which database it was made of; the image inside is always a SQLite file. */
    database: dialect,
  }),
);

/** The first member: a foreign or newer file is known after its first kilobyte, and nothing beyond its size is read. */
export const Header = later(() =>
  Origin.extend({
    kind: z.literal('appctl-backup'),
    v: z.int().min(1),
    /** The most that follow. */
    members: count,
    bytes: count,
  }),
);
export type Header = z.output<typeof Header>;

/** The last member. */
export const Manifest = later(() =>
  Origin.extend({
    v: z.int().min(1),
    label: z.string().max(40).nullable(),
    /** What was left out on request. */
    excluded: z.array(z.string().max(20)).max(10),
    /** Rows of each table. */
    tables: z.record(z.string().max(200), count),
    /** Every member before this one. */
    files: z.record(z.string().max(200), z.strictObject({ size: count, sha256 })),
    /** Keys of the configuration file whose secrets are not in the backup. */
    secretsLeftOut: z.array(z.string().max(100)).max(100),
    /** Hash of the newest entry of the audit log. */
    auditHead: z.string().max(200).nullable(),
  }),
);
export type Manifest = z.output<typeof Manifest>;

/** What is written beside an archive once it is verified. */
export const Sidecar = later(() =>
  z.object({
    file: z.string(),
    createdAt: instant,
    sizeBytes: count,
    sha256,
    version: z.string(),
    schemaVersion: z.string(),
    database: dialect,
    label: z.string().nullable(),
    verifiedAt: instant.nullable(),
    encrypted: z.boolean(),
    installation: z.string().nullable(),
    masterKeyId: z.string().nullable(),
  }),
);
export type Sidecar = z.output<typeof Sidecar>;
