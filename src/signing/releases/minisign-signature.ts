import { decodeBase64, SIGNATURE_BYTES, type SigningKey, verify } from '#kernel/ed25519.ts';
import { minisignNumber, ownMinisignId } from '../keys/minisign-key.ts';

/** Prehashed: the signature is over the BLAKE2b-512 of the file. */
const PREHASHED = Buffer.from('ED');
const NUMBER_BYTES = 8;
const BODY_BYTES = PREHASHED.length + NUMBER_BYTES + SIGNATURE_BYTES;
const UNTRUSTED = 'untrusted comment: ';
const TRUSTED = 'trusted comment: ';

/** A key as a signer of minisign: `minisignId` is the id that clients know it by, where minisign made it. */
export type MinisignSigner = SigningKey & { readonly minisignId?: string | null };

/**
 * A minisign signature file over a bundle, prehashed, as minisign 0.8 and later and Tauri verify it. It holds no time,
 * so that signing twice gives the same bytes.
 *
 * @param bundle its file name, the 64 raw bytes of its BLAKE2b-512, the 32 of its SHA-256, and words for the comment
 * @returns four lines, the last with a line feed
 */
export function signMinisign(
  bundle: { file: string; blake2b: Buffer; sha256: Buffer; comment: string | null },
  key: MinisignSigner,
): string {
  const id = key.minisignId ?? ownMinisignId(key.publicKey);
  const signature = key.sign(bundle.blake2b);
  const words = [`file:${bundle.file}`, `sha256:${bundle.sha256.toString('hex')}`];
  if (bundle.comment !== null) words.push(`comment:${bundle.comment}`);
  const trusted = words.map(oneLine).join('\t');
  const both = key.sign(Buffer.concat([signature, Buffer.from(trusted)]));
  return [
    `${UNTRUSTED}signature from appctl, minisign key ${id}`,
    Buffer.concat([PREHASHED, minisignNumber(id), signature]).toString('base64'),
    `${TRUSTED}${trusted}`,
    both.toString('base64'),
    '',
  ].join('\n');
}

/** A file name or a comment with a line feed would end the line that it stands in. */
const oneLine = (text: string): string =>
  [...text]
    .map((letter) => ((letter.codePointAt(0) as number) < 32 || letter === '\u007f' ? ' ' : letter))
    .join('');

/** Whether a text is a signature file of minisign by its form. */
export const isMinisignSignature = (text: string): boolean => text.startsWith(UNTRUSTED.trimEnd());

/**
 * Checks a minisign signature file: the signature over the bundle, and that over it and the trusted comment.
 *
 * @param text as signMinisign or `minisign -S` writes it
 * @param publicKey 32 raw bytes
 * @param blake2b the 64 raw bytes of the bundle's BLAKE2b-512
 * @returns false for every other form as well, the older one that is not prehashed included
 */
export function verifyMinisign(text: string, publicKey: Buffer, blake2b: Buffer): boolean {
  const [, body = '', trusted = '', both = ''] = text.trimEnd().split(/\r?\n/);
  try {
    const bytes = decodeBase64(body, BODY_BYTES);
    const signature = bytes.subarray(PREHASHED.length + NUMBER_BYTES);
    if (!bytes.subarray(0, PREHASHED.length).equals(PREHASHED) || !trusted.startsWith(TRUSTED)) return false;
    const comment = Buffer.from(trusted.slice(TRUSTED.length));
    return (
      verify(publicKey, blake2b, signature) &&
      verify(publicKey, Buffer.concat([signature, comment]), decodeBase64(both, SIGNATURE_BYTES))
    );
  } catch {
    return false;
  }
}

/** The text of a minisign signature that Tauri has in base64, as `extra.tauri` of a release holds it. */
export const tauriText = (base64: string): string => Buffer.from(base64, 'base64').toString('utf8');
