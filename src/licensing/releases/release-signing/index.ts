export { type BundleDigest, type DigestOptions, digestBundle } from './bundle-digest.ts';
export { bytesToRead, type SignOptions, signBundle } from './bundle-signature.ts';
export {
  decideVerification,
  type VerificationFacts,
  type VerifyOptions,
  verifyBundle,
} from './bundle-verification.ts';
export { type MinisignSigner, signMinisign, tauriText, verifyMinisign } from './minisign-signature.ts';
export {
  type DetachedSignature,
  findSignature,
  parseRecord,
  SIGNATURE_FORMATS,
  type SignatureFormat,
  signaturePath,
  signatureText,
} from './signature-file.ts';
export type { SignatureRecord, Verification, VerifyReason, WrittenSignature } from './signature-form.ts';
export { type SparkleSignature, signSparkle, sparkleLine } from './sparkle-signature.ts';
export {
  CHANNELS,
  openStatement,
  readStatement,
  type Statement,
  StatementInput,
  signStatement,
} from './statement.ts';
export { ARCHITECTURES, archNamed, PLATFORMS, platformNamed } from './targets.ts';
