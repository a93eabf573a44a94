import { z } from 'zod';
import { SigningKeyView } from '#licensing/catalog/keys/view.ts';
import type { KeyShape } from '#signing/keys/key-shape.ts';
import { dryRun, Instant, pageShape } from '../shapes.ts';

const written = { privateKeyFile: z.string().optional(), publicKeyFile: z.string().optional(), dryRun };

/** `Key` of cli.md section 2: also of a key that no database knows. */
const Key = SigningKeyView.omit({ label: true, activateAt: true, continuity: true }).extend({
  status: SigningKeyView.shape.status.nullable(),
  encrypted: z.boolean(),
  registered: z.boolean(),
}) satisfies z.ZodType<KeyShape>;

export const KeysGenerateOutput = Key.extend(written);
export const KeysListOutput = pageShape(Key);
export const KeysShowOutput = Key;
export const KeysExportOutput = Key.pick({ keyId: true, publicKey: true, publicKeyPem: true }).extend({
  dryRun,
});
export const KeysFingerprintOutput = Key.pick({ fingerprint: true, keyId: true });

/** The old key, the new one, and what the old one signed about it. */
export const KeysRotateOutput = z.strictObject({
  old: Key,
  next: Key,
  continuity: SigningKeyView.shape.continuity.unwrap(),
  activateAt: Instant,
  ...written,
});

export const KeysActivateOutput = Key.extend({ dryRun });
export const KeysDelegateOutput = z.strictObject({ delegation: z.string().startsWith('delegation/') });
