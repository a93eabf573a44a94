export {
  decideVerification,
  type SignOptions,
  signBundle,
  type VerificationFacts,
  type VerifyOptions,
  verifyBundle,
} from './bundle-signature.ts';
export { SIGNATURE_FORMATS, type SignatureFormat } from './signature-file.ts';
export type { SignatureRecord, Verification, VerifyReason, WrittenSignature } from './signature-form.ts';
export { CHANNELS, openStatement, type Statement, StatementInput } from './statement.ts';
