// Where releases are built and signed: a folder on a machine without a network, a database or a configuration.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInside } from '../support/cli-inside.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import type { Program } from './installed-program.ts';

export interface ReleaseOffice {
  /** Absolute path of one of its files. */
  at(name: string): string;
  /** The environment that holds the passphrase of its keys. */
  readonly env: Record<string, string>;
  /** Runs a command here, with --json. Throws Error when it does not end with 0. */
  appctl<T>(...args: string[]): Promise<T>;
  /** Whether a command has made anything beside the files that it was told to make. */
  isTouched(): boolean;
  /** Builds a version that trusts these keys; answers the path of its bundle. */
  build(version: string, rootKeys: string[]): string;
  bundle(version: string): Buffer;
  /** Words that sign as this version by this key; each statement has a higher sequence than the one before. */
  signing(version: string, key: string): string[];
  remove(): void;
}

const PASSPHRASE = 'correct horse battery staple';

/** Opens an empty one. The caller removes it. */
export function openOffice(product: string): ReleaseOffice {
  const folder = scratchFolder('appctl-office-');
  const at = (name: string) => join(folder, name);
  const env = { RELEASE_PASS: PASSPHRASE };
  const dataDir = at('data');
  const bundlePath = (version: string) => at(`${product}-${version}.bin`);
  let sequence = 0;
  return {
    at,
    env,
    async appctl<T>(...args: string[]) {
      const words = [...args, '--json'];
      const done = await runInside(words, { cwd: folder, env: { APPCTL_DATA_DIR: dataDir, ...env } });
      if (done.code !== 0)
        throw new Error(`appctl ${words.join(' ')} ended with ${done.code}: ${done.stderr}`);
      return JSON.parse(done.stdout) as T;
    },
    isTouched: () => existsSync(dataDir),
    build(version, rootKeys) {
      const program: Program = { version, rootKeys, filler: version.repeat(500) };
      writeFileSync(bundlePath(version), JSON.stringify(program));
      return bundlePath(version);
    },
    bundle: (version) => readFileSync(bundlePath(version)),
    signing(version, key) {
      sequence += 1;
      const about = ['--product', product, '--version', version, '--sequence', String(sequence)];
      return [...about, '--key', at(`${key}.key`), '--passphrase-env', 'RELEASE_PASS'];
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}
