import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withoutSecrets } from '#kernel/config/without-secrets.ts';
import { type ArchivePart, MEMBERS, memberOf, textPart } from '#platform/backup/index.ts';
import type { BackupSource } from './source.ts';

/** A file of the storages as it was found. */
export interface FoundObject {
  readonly name: string;
  readonly storage: 'bundles' | 'media';
  readonly location: string;
  readonly size: number;
}

/**
 * What lies in the storages. Listed after the database was copied: a file is written before its row and removed long
 * after it, so that every row of the copy has its file here.
 */
export async function findObjects(
  { storages }: BackupSource,
  exclude: readonly string[],
): Promise<FoundObject[]> {
  const found: FoundObject[] = [];
  for (const storage of ['bundles', 'media'] as const) {
    if (exclude.includes(storage)) continue;
    const locations: string[] = [];
    for await (const location of storages[storage].all()) locations.push(location);
    for (const location of locations.sort()) {
      const object = await storages[storage].open(location);
      if (object === null) continue;
      found.push({ name: `${storage}/${location}`, storage, location, size: object.size });
      await object.close();
    }
  }
  return found;
}

/** A file of the storages as a part; null for one that went since. */
export async function objectPart(
  { storages }: BackupSource,
  { name, storage, location }: FoundObject,
): Promise<{ part: ArchivePart; close(): Promise<void> } | null> {
  const object = await storages[storage].open(location);
  if (object === null) return null;
  const { size } = object;
  return { part: { name, size, open: () => object.read(0, size - 1) }, close: () => object.close() };
}

/** Events that wait on the disk to be taken in. They are small, and go as soon as the database is there again. */
export function spoolParts({ config }: BackupSource): ArchivePart[] {
  const root = join(config.dataDir, 'spool');
  if (!existsSync(root)) return [];
  const parts: ArchivePart[] = [];
  for (const folder of readdirSync(root).sort())
    for (const file of readdirSync(join(root, folder)).sort()) {
      const name = `spool/${folder}/${file}`;
      const bytes = memberOf(name) === null ? null : readOrNull(join(root, folder, file));
      if (bytes !== null) parts.push(textPart(name, bytes));
    }
  return parts;
}

function readOrNull(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch {
    return null;
  }
}

/** The configuration file without its secrets. */
export async function configPart({
  configFile,
}: BackupSource): Promise<{ part: ArchivePart; leftOut: readonly string[] } | null> {
  if (configFile === null || !existsSync(configFile)) return null;
  const { text, leftOut } = await withoutSecrets(configFile);
  return { part: textPart(MEMBERS.config, text), leftOut };
}
