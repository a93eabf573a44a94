// The TypeScript client SDK (licensing.md 7), exported as `./client` of the package.
export { createLicenseClient } from './client.ts';
export { ClientError, type ClientErrorCode, LicenseApiError } from './errors.ts';
export type { Json } from './json.ts';
export { createMachineId } from './machine-id.ts';
export { verifyBundle, verifyStatement } from './release-signatures.ts';
export { verifyOfflineToken } from './token.ts';
export type * from './types.ts';
