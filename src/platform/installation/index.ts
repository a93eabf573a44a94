export {
  claimInstallationId,
  claimMasterKeyId,
  readInstallationId,
  readMasterKeyId,
} from './installation.ts';
export {
  keepInstallationFile,
  LOST_HINT,
  lostDatabase,
  lostMessage,
  readInstallationFile,
  traceOfInstallation,
} from './trace.ts';
