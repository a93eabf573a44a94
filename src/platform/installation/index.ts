export {
  claimInstallationId,
  claimMasterKeyId,
  readInstallationId,
  readMasterKeyId,
} from './installation.ts';
export { keepServedAt, readServedAt } from './served.ts';
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
