// Messages with signatures, true and false ones: what the verifiers of R25 are asked about.
import { createHash, type KeyObject, sign } from 'node:crypto';
import type { Random } from './random.ts';

/** A release key; the proof holds the private half too, because minisign wants a second signature by it. */
export interface ReleaseKey {
  /** Path of the private key as `--key` takes it. */
  readonly file: string;
  readonly passphraseFile: string | null;
  /** SPKI PEM, as the product or openssl wrote it. */
  readonly publicPem: string;
  /** The same in 32 raw bytes. */
  readonly publicKey: Buffer;
  readonly privateKey: KeyObject;
}

/** What `FILE.sig.json` holds, as far as the proof reads it. */
export interface SignatureRecord {
  size: number;
  sha256: string;
  signature: string;
  statement: string;
  statementSignature: string;
}

/** A bundle with the signature that a signer has made. */
export interface SignedBundle {
  readonly path: string;
  readonly content: Buffer;
  readonly key: ReleaseKey;
  readonly version: string;
  readonly record: SignatureRecord;
}

/** One question to a verifier. */
export interface Claim {
  readonly name: string;
  readonly key: ReleaseKey;
  readonly message: Buffer;
  /** 64 raw bytes. */
  readonly signature: Buffer;
  /** Whether it must be accepted; otherwise it must be refused. */
  readonly isTrue: boolean;
}

export const sha256 = (content: Buffer): Buffer => createHash('sha256').update(content).digest();

const bytesOf = (base64: string): Buffer => Buffer.from(base64, 'base64');
const textOf = (statement: string): Buffer => Buffer.from(statement, 'ascii');

/** That the bundle was signed: over the 32 bytes of its digest. */
export const bundleClaim = ({ path, content, key, record }: SignedBundle): Claim => ({
  name: path,
  key,
  message: sha256(content),
  signature: bytesOf(record.signature),
  isTrue: true,
});

/** That its statement was signed: over the text as it stands. */
export const statementClaim = ({ path, key, record }: SignedBundle): Claim => ({
  name: `statement of ${path}`,
  key,
  message: textOf(record.statement),
  signature: bytesOf(record.statementSignature),
  isTrue: true,
});

/** The parts of a signed bundle in which a bit can turn over. */
export const PARTS = ['bundle', 'signature', 'statement', 'statementSignature'] as const;
export type Part = (typeof PARTS)[number];

/** @returns a copy with one bit turned over, and which one */
export function flipped(bytes: Buffer, random: Random): { bytes: Buffer; bit: number } {
  const bit = random.below(bytes.length * 8);
  const copy = Buffer.from(bytes);
  copy[bit >> 3] = (copy[bit >> 3] as number) ^ (1 << (bit & 7));
  return { bytes: copy, bit };
}

/** What is no longer true once one bit of the part has turned over. */
export function flippedClaim(signed: SignedBundle, part: Part, random: Random): Claim {
  const whole = part === 'bundle' || part === 'signature' ? bundleClaim(signed) : statementClaim(signed);
  const subject = { bundle: signed.content, signature: whole.signature, statement: whole.message };
  const change = flipped(part === 'statementSignature' ? whole.signature : subject[part], random);
  const changed = {
    bundle: () => ({ message: sha256(change.bytes) }),
    signature: () => ({ signature: change.bytes }),
    statement: () => ({ message: change.bytes }),
    statementSignature: () => ({ signature: change.bytes }),
  }[part]();
  return { ...whole, ...changed, name: `bit ${change.bit} of the ${part} of ${signed.path}`, isTrue: false };
}

/** What a bundle could be signed over by mistake. */
export const wrongMessages = {
  'hex text': (content: Buffer): Buffer => Buffer.from(sha256(content).toString('hex')),
  'raw bytes': (content: Buffer): Buffer => content,
} as const;
export type WrongMessage = keyof typeof wrongMessages;

/** A signature of the right key over something else than the 32 bytes of the digest. */
export const wrongSignature = ({ content, key }: SignedBundle, form: WrongMessage): Buffer =>
  sign(null, wrongMessages[form](content), key.privateKey);

/** That such a signature is one of the bundle. */
export const wrongClaim = (signed: SignedBundle, form: WrongMessage): Claim => ({
  ...bundleClaim(signed),
  name: `signature over the ${form} of ${signed.path}`,
  signature: wrongSignature(signed, form),
  isTrue: false,
});
