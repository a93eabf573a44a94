import { z } from 'zod';
import { instant, integer } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { KINDS, type Kind } from './entity.ts';

/** Version of the header and of every row. */
export const VERSION = 1;

/** First line of a native export (licensing 6.11). */
export const Header = later(() =>
  z.object({
    kind: z.literal('export'),
    v: z.literal(VERSION),
    createdAt: instant(),
    entities: z.array(z.string()),
    keys: z.enum(['included', 'omitted']),
  }),
);
export type Header = z.output<typeof Header>;

/** Last line: how many rows of each kind stand before it, so that a file that was cut off is known. */
export const End = later(() =>
  z.object({
    kind: z.literal('end'),
    v: z.literal(VERSION),
    rows: z.record(z.string(), integer(0)),
  }),
);
export type End = z.output<typeof End>;

/** What a license was called before, with its keys. */
export const FormerKey = later(() =>
  z.object({
    key: z.string(),
    kind: z.enum(['REPLACED', 'HONEYPOT']),
    overlapUntil: instant().nullable(),
    thenHoneypot: z.boolean(),
    replacedAt: instant().nullable(),
    createdAt: instant(),
  }),
);

/** What the row of a license holds beside its own fields. */
export const LicenseExtras = later(() =>
  z.object({
    /** Only with keys included. */
    key: z.string().optional(),
    /** When the key was drawn. */
    keyCreatedAt: instant().optional(),
    formerKeys: z.array(FormerKey).max(10_000).optional(),
    /** Live machines of the license, which follow as rows of their own. */
    activationsUsed: integer(0).optional(),
  }),
);
export type LicenseExtras = z.output<typeof LicenseExtras>;

export const isKind = (kind: unknown): kind is Kind => KINDS.includes(kind as Kind);

/** The order in which rows can be written, so that each finds what it names. */
export const CATALOG: readonly Kind[] = ['tenant', 'key_format', 'policy', 'product', 'signing_key'];
