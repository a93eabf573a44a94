export { claimMasterKeyId, readMasterKeyId } from './installation.ts';
