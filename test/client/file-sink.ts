// A sink for Node, as the README shows it: nothing lies under the name before all of it is verified and on the disk.
import { open, rename, rm } from 'node:fs/promises';
import type { BundleSink } from '../../src/client/types.ts';

/** @param path where the bundle will lie; one download at a time */
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
