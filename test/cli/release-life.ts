// An installation with the product `editor`, and keys and bundles in the folder of its commands.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import * as ed25519 from '#kernel/ed25519.ts';
import { errorOf } from '../support/cli-process.ts';
import { type Installation, prepareInstallation } from './prepared-installation.ts';

/** What the commands print of a release. */
export interface ShownRelease {
  id: string;
  product: string;
  version: string;
  channel: string;
  platform: string;
  arch: string;
  state: string;
  bundleFilename: string | null;
  bundleSize: number | null;
  bundleSha256: string | null;
  keyId: string | null;
  minFromVersion: string | null;
  changelog: string;
  publishedAt: string | null;
  rollout: { percent: number; effectivePercent: number; paused: boolean };
  yankedReason?: string;
  keyRegistered?: boolean;
  dryRun?: true;
}

/** Key of the seed that is filled with a byte. */
export const keyOf = (byte: number) => ed25519.signingKeyOf(Buffer.alloc(32, byte));

/** Writes `a.key` (unencrypted) of the seed of 1s, `b.key` of the seed of 2s, and the bundle `app.zip`. */
export function writeReleaseFiles(folder: string): void {
  for (const [name, byte] of [
    ['a.key', 1],
    ['b.key', 2],
  ] as const) {
    const pem = ed25519.privateKeyToPem(Buffer.alloc(32, byte));
    writeFileSync(join(folder, name), pem, { mode: 0o600 });
  }
  writeFileSync(join(folder, 'app.zip'), 'the first bundle');
}

/** Gives a test file one installation. */
export function useReleaseLife() {
  let installation: Installation;
  beforeAll(async () => {
    installation = await prepareInstallation();
    await installation.answer(['product', 'create', '--name', 'Editor', '--slug', 'editor']);
    writeReleaseFiles(installation.cwd);
  });
  afterAll(() => installation.remove());
  const words = (line: string) => line.split(' ');
  return {
    get it(): Installation {
      return installation;
    },
    at: (name: string) => join(installation.cwd, name),
    /** Writes a bundle and gives its name. */
    bundle(name: string, content: string): string {
      writeFileSync(join(installation.cwd, name), content);
      return name;
    },
    answer: <T = ShownRelease>(line: string, input?: string) =>
      installation.answer<T>(words(line), input === undefined ? {} : { input }),
    run: (line: string) => installation.inside(words(line)),
    /** Runs a command that must fail and gives its code, its error and what it printed. */
    async failure(line: string) {
      const run = await installation.inside([...words(line), '--json']);
      return { exit: run.code, stdout: run.stdout, ...errorOf(run) };
    },
  };
}
