import { z } from 'zod';
import type { KeyShape } from '#signing/keys/key-shape.ts';

const KeyId = z.string().regex(/^[0-9a-f]{16}$/);
const Fingerprint = z.string().regex(/^[0-9a-f]{64}$/);
const dryRun = z.literal(true).optional();

/** `Key` of cli.md section 2. */
const Key = z.strictObject({
  keyId: KeyId,
  product: z.string(),
  algorithm: z.literal('ed25519'),
  fingerprint: Fingerprint,
  publicKey: z.string().length(44),
  publicKeyPem: z.string(),
  status: z.enum(['ACTIVE', 'NEXT', 'RETIRED']).nullable(),
  createdAt: z.iso.datetime({ precision: 3 }),
  encrypted: z.boolean(),
  registered: z.boolean(),
  serverHeld: z.boolean(),
}) satisfies z.ZodType<KeyShape>;

export const KeysGenerateOutput = Key.extend({
  privateKeyFile: z.string().optional(),
  publicKeyFile: z.string().optional(),
  dryRun,
});

export const KeysListOutput = z.strictObject({
  items: z.array(Key),
  pagination: z.strictObject({ page: z.int(), limit: z.int(), total: z.int(), totalPages: z.int() }),
});

export const KeysShowOutput = Key;

export const KeysExportOutput = z.strictObject({
  keyId: KeyId,
  publicKey: z.string(),
  publicKeyPem: z.string(),
  dryRun,
});

export const KeysFingerprintOutput = z.strictObject({ fingerprint: Fingerprint, keyId: KeyId });

/** The old key, the new one, and what the old one signed about it. */
export const KeysRotateOutput = z.strictObject({
  old: Key,
  next: Key,
  continuity: z.strictObject({
    statement: z.string().startsWith('continuity/'),
    signature: z.string().length(88),
  }),
  activateAt: z.iso.datetime({ precision: 3 }),
  privateKeyFile: z.string().optional(),
  publicKeyFile: z.string().optional(),
  dryRun,
});

export const KeysActivateOutput = Key.extend({ dryRun });

/** `Result` of cli.md section 2. */
export const KeysResult = z.strictObject({
  ok: z.literal(true),
  action: z.enum(['retired', 'changed', 'removed']),
  id: KeyId,
  changed: z.boolean(),
  dryRun,
});
