import { basename, join } from 'node:path';
import { decodeBase64, SIGNATURE_BYTES } from '#kernel/ed25519.ts';
import { fail } from '../errors.ts';
import { readSmallBytes, readSmallFile, writeTextFile } from '../keys/key-file.ts';
import { isMinisignSignature, tauriText } from './minisign-signature.ts';
import { SignatureClaims, SignatureRecord } from './signature-form.ts';
import { sparkleLine } from './sparkle-signature.ts';

/**
 * `appctl` writes `FILE.sig.json`, `base64` writes `FILE.sig` with the signature alone; `minisign` and `sparkle` write
 * `FILE.minisig` and `FILE.sparkle` for verifiers that check the file in their own way.
 */
export const SIGNATURE_FORMATS = ['appctl', 'base64', 'minisign', 'sparkle'] as const;
export type SignatureFormat = (typeof SIGNATURE_FORMATS)[number];

const SUFFIX: Record<SignatureFormat, string> = {
  appctl: '.sig.json',
  base64: '.sig',
  minisign: '.minisig',
  sparkle: '.sparkle',
};

/** A signature as a verifier found it; `claims` is null for a signature that came alone. */
export interface DetachedSignature {
  /** 64 raw bytes. */
  readonly signature: Buffer;
  readonly claims: SignatureClaims | null;
}

/**
 * Where the signature of a bundle lies.
 *
 * @param outDir folder for it; null = beside the bundle
 */
export const signaturePath = (bundlePath: string, format: SignatureFormat, outDir: string | null): string =>
  outDir === null ? bundlePath + SUFFIX[format] : join(outDir, basename(bundlePath) + SUFFIX[format]);

/**
 * Writes the signature of a bundle. A file of the same digest and key may be rewritten; when nothing but the time of
 * signing would differ it is left as it is, so that signing twice gives the same bytes.
 *
 * @param force replaces any file
 * @param dryRun makes every check and writes nothing
 * @returns the record that the file holds afterwards
 * @throws AppError CONFLICT when the file holds something else
 */
export async function writeSignatureFile(
  path: string,
  record: SignatureRecord,
  how: { format: SignatureFormat; force: boolean; dryRun: boolean },
): Promise<SignatureRecord> {
  const existing = await readSmallFile(path);
  if (existing !== null && !how.force) refuseForeign(path, existing, record, how.format);
  const kept = existing === null ? null : sameButTime(existing, record, how.format);
  if (kept !== null) return kept;
  if (!how.dryRun)
    await writeTextFile(path, signatureText(record, how.format), { mode: 0o644, force: existing !== null });
  return record;
}

/** What the signature file of a record holds. */
export function signatureText(record: SignatureRecord, format: SignatureFormat): string {
  const { signature, extra, size } = record;
  switch (format) {
    case 'appctl':
      return `${JSON.stringify(record, null, 2)}\n`;
    case 'base64':
      return `${signature}\n`;
    case 'minisign':
      return tauriText(extra?.tauri ?? '');
    case 'sparkle':
      return `${sparkleLine({ signature: extra?.sparkle ?? '', size })}\n`;
  }
}

function refuseForeign(
  path: string,
  existing: string,
  record: SignatureRecord,
  format: SignatureFormat,
): void {
  const old = format === 'appctl' ? parseRecord(existing) : null;
  const replaceable =
    format === 'appctl'
      ? old?.sha256 === record.sha256 && old.keyId === record.keyId
      : existing.trim() === signatureText(record, format).trim();
  if (replaceable) return;
  throw fail('CONFLICT', `${path} contains the signature of another file or key; --force replaces it`, {
    details: { reason: 'SIGNATURE_EXISTS', path },
  });
}

function sameButTime(
  existing: string,
  record: SignatureRecord,
  format: SignatureFormat,
): SignatureRecord | null {
  if (format !== 'appctl') return existing === signatureText(record, format) ? record : null;
  const old = parseRecord(existing);
  if (old === null) return null;
  return JSON.stringify({ ...old, signedAt: record.signedAt }) === JSON.stringify(record) ? old : null;
}

/** Reads the content of FILE.sig.json; null when it is something else. */
export function parseRecord(text: string): SignatureRecord | null {
  try {
    return SignatureRecord.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/**
 * Finds the signature to check.
 *
 * @param given value of `--sig`: a path, or 88 characters of base64; null = `FILE.sig.json`
 * @returns null when there is none, 'MALFORMED' when what is there is not a signature
 */
export async function findSignature(
  bundlePath: string,
  given: string | null,
): Promise<DetachedSignature | 'MALFORMED' | null> {
  if (given !== null && /^[A-Za-z0-9+/]{86}==$/.test(given)) return parseSignature(Buffer.from(given));
  const bytes = await readSmallBytes(given ?? signaturePath(bundlePath, 'appctl', null));
  return bytes === null ? null : parseSignature(bytes);
}

/** The text of the signature file of minisign that `--sig` names; null when it names something else. */
export async function findMinisign(given: string | null): Promise<string | null> {
  const text = given === null ? null : await readSmallFile(given);
  return text !== null && isMinisignSignature(text) ? text : null;
}

/** Reads a signature: the JSON of `FILE.sig.json`, base64 text, or 64 raw bytes as OpenSSL writes them. */
export function parseSignature(bytes: Buffer): DetachedSignature | 'MALFORMED' {
  if (bytes.length === SIGNATURE_BYTES) return { signature: bytes, claims: null };
  const text = bytes.toString('utf8').trim();
  try {
    const claims = text.startsWith('{') ? SignatureClaims.parse(JSON.parse(text)) : null;
    return { signature: decodeBase64(claims?.signature ?? text, SIGNATURE_BYTES), claims };
  } catch {
    return 'MALFORMED';
  }
}
