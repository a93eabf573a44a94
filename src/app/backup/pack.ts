import { createReadStream, statSync } from 'node:fs';
import { buildInfo } from '#kernel/build-info.ts';
import { isoTime } from '#kernel/clock.ts';
import { removeSteadily } from '#kernel/steady-file.ts';
import {
  type ArchivePart,
  damaged,
  FORMAT,
  type Header,
  type Manifest,
  MEMBERS,
  requireFreeBytes,
  type Sealing,
  sealText,
  textPart,
  type WorkFolder,
  writeArchive,
} from '#platform/backup/index.ts';
import { configPart, type FoundObject, findObjects, objectPart, spoolParts } from './contents.ts';
import { type ImageFacts, imageBytes, makeImage, openImage, readFacts } from './image.ts';
import type { Archive, BackupOptions, BackupWatcher } from './options.ts';
import { presentKey } from './restore-key.ts';
import type { BackupSource } from './source.ts';
import { verifyArchive } from './verify.ts';

/** Makes an archive in the work folder, and unpacks it again. @throws AppError VERIFICATION_FAILED */
export async function makeArchive(
  source: BackupSource,
  options: BackupOptions,
  work: WorkFolder,
  watcher: BackupWatcher,
): Promise<Archive & { manifest: Manifest }> {
  const createdAt = isoTime(source.clock.epochMs());
  const image = work.file('image.sqlite');
  const facts = await imageFacts(source, image, work, watcher);
  const contents = await contentsOf(source, options, image);
  const { version } = buildInfo();
  const { schemaVersion, installation, masterKeyId, tables, auditHead } = facts;
  const database = source.database.dialect;
  const origin = { version, schemaVersion, createdAt, installation, masterKeyId, database };
  const bytes = contents.bytes;
  requireFreeBytes(work.path, bytes + statSync(image).size, 'the backup');
  const header: Header = { ...origin, kind: 'appctl-backup', v: FORMAT, members: contents.members, bytes };
  const { label, exclude } = options;
  const { leftOut } = contents;
  let manifest: Manifest | undefined;
  const lastOf = (files: Manifest['files']): string => {
    const rest = { label, excluded: [...exclude], tables: { ...tables }, files };
    manifest = { ...origin, v: FORMAT, ...rest, secretsLeftOut: [...leftOut], auditHead };
    return JSON.stringify(manifest);
  };
  watcher.stage('packing', bytes);
  const path = work.file('archive.tar.zst');
  const parts = partsOf(source, header, contents);
  const written = await writeArchive(path, parts, lastOf, (done) => watcher.progress(done, bytes));
  await removeSteadily(image);
  if (manifest === undefined) throw new Error('the archive has no manifest');
  await verifyWritten(source, { path, ...written }, facts, work, watcher);
  return { path, ...written, manifest };
}

async function imageFacts(
  source: BackupSource,
  image: string,
  work: WorkFolder,
  watcher: BackupWatcher,
): Promise<ImageFacts> {
  const estimate = await imageBytes(source);
  requireFreeBytes(work.path, 2 * estimate, 'the backup');
  watcher.stage('copying the database', estimate);
  await makeImage(source, image, (done, total) => watcher.progress(done, total));
  const opened = await openImage(image);
  return readFacts(opened, source.clock).finally(() => opened.close());
}

interface Contents {
  readonly image: string;
  readonly fixed: readonly ArchivePart[];
  readonly objects: readonly FoundObject[];
  readonly leftOut: readonly string[];
  /** The most that may come, without the manifest. */
  readonly members: number;
  readonly bytes: number;
}

async function contentsOf(
  source: BackupSource,
  { exclude, sealing }: BackupOptions,
  image: string,
): Promise<Contents> {
  const objects = await findObjects(source, exclude);
  const config = await configPart(source);
  const fixed = [
    ...(config === null ? [] : [config.part]),
    ...(await keyParts(source, sealing)),
    ...spoolParts(source),
  ];
  const rest = [...fixed, ...objects].reduce((sum, { size }) => sum + size, 0);
  const leftOut = config?.leftOut ?? [];
  return {
    image,
    fixed,
    objects,
    leftOut,
    members: fixed.length + objects.length + 1,
    bytes: statSync(image).size + rest,
  };
}

/** The master key, sealed once more for whoever opens the archive; never in one that anybody can open. */
async function keyParts({ config }: BackupSource, sealing: Sealing | null): Promise<ArchivePart[]> {
  if (sealing === null) return [];
  const text = presentKey(config);
  return text === null ? [] : [textPart(MEMBERS.masterKey, await sealText(`${text.trim()}\n`, sealing))];
}

async function* partsOf(
  source: BackupSource,
  header: Header,
  { image, fixed, objects }: Contents,
): AsyncGenerator<ArchivePart> {
  yield textPart(MEMBERS.header, `${JSON.stringify(header)}\n`);
  yield { name: MEMBERS.database, size: statSync(image).size, open: () => createReadStream(image) };
  yield* fixed;
  for (const object of objects) {
    const found = await objectPart(source, object);
    if (found === null) continue;
    try {
      yield found.part;
    } finally {
      await found.close();
    }
  }
}

/** Unpacks what was written, from the disk, as a restore does. */
async function verifyWritten(
  { clock, keyring }: BackupSource,
  { path, sha256 }: Archive,
  facts: ImageFacts,
  work: WorkFolder,
  watcher: BackupWatcher,
): Promise<void> {
  watcher.stage('verifying', statSync(path).size);
  const onBytes = (bytes: number): void => watcher.progress(bytes, 0);
  const found = await verifyArchive(createReadStream(path), { work, clock, keyring, opening: null, onBytes });
  if (found.sha256 !== sha256)
    throw damaged('the backup on the disk is not what was written', 'check the disk and its file system');
  if (found.manifest.auditHead !== facts.auditHead)
    throw damaged('the audit log in the backup ends elsewhere');
}
