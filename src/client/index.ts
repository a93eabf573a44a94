// The TypeScript client SDK (licensing.md 7): the package `appctl-client`, for every platform. `node.ts` adds files.
export type { Channel } from './channels.ts';
export { createLicenseClient } from './client.ts';
export { ClientError, type ClientErrorCode, LicenseApiError } from './errors.ts';
export type { Json } from './json.ts';
export { localStorageStorage } from './local-storage.ts';
export { createMachineId } from './machine-id.ts';
export { memoryStorage } from './memory-storage.ts';
export type * from './option-types.ts';
export { verifyBundle, verifyStatement } from './release-signatures.ts';
export { verifyOfflineToken } from './token.ts';
export type * from './types.ts';
