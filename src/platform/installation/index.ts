export {
  claimInstallationId,
  claimMasterKeyId,
  keepMasterKeyKept,
  keepServedAt,
  masterKeyKeptAt,
  readInstallationId,
  readMasterKeyId,
  readServedAt,
} from './installation.ts';
export { type LastCopy, noteCopy, readLastCopy } from './last-copy.ts';
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
