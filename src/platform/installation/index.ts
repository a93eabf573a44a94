export {
  claimInstallationId,
  claimMasterKeyId,
  keepServedAt,
  readInstallationId,
  readMasterKeyId,
  readServedAt,
} from './installation.ts';
export {
  foreignDatabase,
  foreignHint,
  foreignMessage,
  keepInstallationFile,
  LOST_HINT,
  lostDatabase,
  lostMessage,
  readInstallationFile,
  traceOfInstallation,
} from './trace.ts';
