import { open, rename, rm } from 'node:fs/promises';
import type { BundleSink } from './types.ts';

/**
 * Takes a download into a file: nothing is under the name before all of it is verified and on the disk.
 *
 * @param path of the bundle; `<path>.part` is written meanwhile, by one download at a time
 */
export async function fileSink(path: string): Promise<BundleSink> {
  const part = `${path}.part`;
  const file = await open(part, 'w', 0o600);
  return {
    write: (chunk) => file.writeFile(chunk),
    async commit() {
      await file.sync();
      await file.close();
      await rename(part, path);
    },
    async abort() {
      await file.close();
      await rm(part, { force: true });
    },
  };
}
