import { isLocation } from '#kernel/storage/location.ts';
import type { Instance } from '../instance.ts';
import { storedFiles } from './queries.ts';
import { storagesOf } from './source.ts';

/** Compares what rows refer to with what the storages hold. */
export async function checkFiles({
  config,
  database,
}: Pick<Instance, 'config' | 'database'>): Promise<{ missing: string[]; orphans: string[] }> {
  const storages = storagesOf(config);
  const referred = await storedFiles(database);
  const missing: string[] = [];
  const orphans: string[] = [];
  for (const kept of ['bundles', 'media'] as const) {
    const stored = new Set<string>();
    for await (const location of storages[kept].all()) stored.add(location);
    for (const location of referred[kept]) if (!stored.has(location)) missing.push(`${kept}/${location}`);
    // Pictures have parts of many kinds; a bundle is one file with one row.
    if (kept === 'bundles')
      for (const location of stored)
        if (isLocation(location) && !referred.bundles.has(location)) orphans.push(`${kept}/${location}`);
  }
  return { missing: missing.sort(), orphans: orphans.sort() };
}
