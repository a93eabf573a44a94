export {
  claimInstallationId,
  claimMasterKeyId,
  keepServedAt,
  readInstallationId,
  readMasterKeyId,
  readServedAt,
} from './installation.ts';
export { heldIn, leftBehindProblem, refuseLeftBehind } from './late.ts';
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
  UNFINISHED_HINT,
  unfinishedCopy,
  unfinishedMessage,
} from './trace.ts';
