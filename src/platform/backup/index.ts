export { type ArchiveVisitor, type ReadMember, readArchive } from './archive-reader.ts';
export { type ArchivePart, textPart, type WrittenArchive, writeArchive } from './archive-writer.ts';
export {
  type KnownBackup,
  type LatestBackup,
  latestBackup,
  listBackups,
  newestBackup,
  noteBackup,
  putSidecar,
  readSidecar,
  readSidecarBeside,
  removeBackup,
  sidecarText,
  sizeInPlace,
} from './catalog.ts';
export { type BackupDesk, type RestoreRequest, restoreBy, showBackupsOf, verifyBy } from './desk.ts';
export { conflict, damaged, foreign, locked, newerProgram } from './faults.ts';
export { type KeepRule, superfluous } from './keep.ts';
export { noteRestore } from './last-restore.ts';
export { FORMAT, type Header, type Manifest, type Sidecar } from './manifest.ts';
export {
  archiveName,
  isOwnLabel,
  LABEL,
  MEMBERS,
  memberOf,
  PARTS,
  type Part,
  partsOfName,
  sidecarName,
  stampOf,
} from './names.ts';
export { type BackupPlace, backupFolder, openBackupPlace } from './place.ts';
export type { LocalFile } from './place-types.ts';
export { type BackupProgress, backupUnderWay, showProgress } from './progress.ts';
export { backUpBy } from './scheduled.ts';
export {
  identitiesIn,
  isEncrypted,
  newIdentity,
  type Opening,
  requireRecipients,
  type Sealing,
  seal,
  sealText,
  unseal,
  unsealText,
} from './sealing.ts';
export {
  type FileName,
  filePartName,
  isNamedBy,
  partPrefix,
  partsOf,
  SHARDS,
  setName,
  shardOf,
  spanOf,
} from './stream/file-names.ts';
export { packPart, unpackPart } from './stream/file-part.ts';
export { FILES_FORMAT, type FileSetRecord } from './stream/file-records.ts';
export { byStoredName, listFileSets, listStreamFiles, type PlacedStreamFile } from './stream/file-shelf.ts';
export {
  type FilesState,
  forgetGoneFile,
  readFilesState,
  readGoneFiles,
  writeFilesState,
  writeGoneFiles,
} from './stream/files-state.ts';
export {
  baseDataName,
  baseName,
  dayFolder,
  daysBetween,
  isLogId,
  logName,
  type SegmentName,
  segmentFile,
  segmentName,
  segmentOf,
} from './stream/names.ts';
export { type BaseRecord, type LogRecord, STREAM_FORMAT } from './stream/records.ts';
export { packSegment, SEGMENT_BYTES, unpackSegment } from './stream/segment.ts';
export { listBases, listLogs, listSegments, type PlacedSegment } from './stream/shelf.ts';
export { localFile, Spool } from './stream/spool.ts';
export { type FilesStanding, type StreamStanding, streamStanding } from './stream/standing.ts';
export {
  forgetStreamState,
  readStreamState,
  type StreamState,
  streamFolder,
  writeStreamState,
} from './stream/state.ts';
export { diskOf, freeBytes, openWorkFolder, requireFreeBytes, type WorkFolder } from './work-folder.ts';
