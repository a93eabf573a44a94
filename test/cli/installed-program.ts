// A customer's program that keeps itself up to date with the client SDK. Its file is the bundle that was installed
// last: it says which version it is and which keys it trusts.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { createLicenseClient } from '../../src/client/index.ts';
import { memoryStorage } from '../../src/client/memory-storage.ts';
import type { BundleSink, LicenseClient, UpdateOffer } from '../../src/client/types.ts';

/** What a bundle holds. */
export interface Program {
  version: string;
  rootKeys: string[];
  filler?: string;
}

export interface InstalledProgram {
  /** The bundle as it is installed. */
  content(): Buffer;
  version(): string;
  /** Asks, as the program does when it starts. */
  look(): Promise<UpdateOffer | null>;
  /** Downloads, verifies and installs what it was offered; it runs from then on. */
  install(offer: UpdateOffer): Promise<void>;
}

/**
 * Installs a program by hand.
 *
 * @param folder of this customer; made here
 */
export function installProgram(
  folder: string,
  { url, licenseKey, product }: { url: string; licenseKey: string; product: string },
  first: Program,
): InstalledProgram {
  mkdirSync(folder);
  const file = join(folder, 'program');
  const storage = memoryStorage();
  writeFileSync(file, JSON.stringify(first));
  const run = async <T>(work: (client: LicenseClient) => Promise<T>): Promise<T> => {
    const { version, rootKeys } = JSON.parse(readFileSync(file, 'utf8')) as Program;
    const machine = { id: `machine of ${folder}` };
    const client = createLicenseClient({
      baseUrl: url,
      product,
      licenseKey,
      machine,
      appVersion: version,
      rootKeys,
      storage,
      retry: { attempts: 1 },
    });
    try {
      return await work(client);
    } finally {
      await client.close();
    }
  };
  return {
    content: () => readFileSync(file),
    version: () => (JSON.parse(readFileSync(file, 'utf8')) as Program).version,
    look: () => run((client) => client.checkForUpdate()),
    install: (offer) => run(async (client) => client.downloadUpdate(offer, await replacing(file))),
  };
}

/** The new file takes the place of the old one when all of it has come and is verified. */
async function replacing(file: string): Promise<BundleSink> {
  const part = `${file}.part`;
  const written = await open(part, 'w');
  return {
    write: async (chunk) => void (await written.write(chunk)),
    async commit() {
      await written.close();
      renameSync(part, file);
    },
    async abort() {
      await written.close();
      rmSync(part);
    },
  };
}
