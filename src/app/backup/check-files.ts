import { type StorageName, storedText } from '#kernel/storage/kept-notes.ts';
import { isLocation } from '#kernel/storage/location.ts';
import type { Instance } from '../instance.ts';
import { knownBundles, namedFiles } from './queries.ts';
import { storagesOf } from './source.ts';

/** Compares what rows refer to with what the storages hold. */
export async function checkFiles({
  config,
  database,
}: Pick<Instance, 'config' | 'database'>): Promise<{ missing: string[]; orphans: string[] }> {
  const storages = storagesOf(config);
  const known = await knownBundles(database);
  // Rows first: a file is there before its row, and somebody may be uploading one.
  const missing = new Set<string>();
  for await (const file of namedFiles(database)) missing.add(storedText(file));
  const orphans: string[] = [];
  for (const storage of Object.keys(storages) as StorageName[])
    for await (const location of storages[storage].all()) {
      const name = storedText({ storage, location });
      missing.delete(name);
      // Pictures have parts of many kinds; a bundle is one file with one row.
      if (storage === 'bundles' && isLocation(location) && !known.has(location)) orphans.push(name);
    }
  return { missing: [...missing].sort(), orphans: orphans.sort() };
}
