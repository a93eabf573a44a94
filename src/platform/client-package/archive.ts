// The package of the client SDK. The executable holds it; from the source it is built when it is asked for.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packaged, readAsset, sourceRoot } from '#kernel/assets.ts';
import { buildInfo } from '#kernel/build-info.ts';

/** The package as npm installs it. */
export interface ClientArchive {
  readonly version: string;
  readonly bytes: Buffer;
  /** As package-lock.json has it: `sha512-…`. */
  readonly integrity: string;
}

/** Where the build puts it, and under which key the executable holds it. */
const keyOf = (version: string): string => `build/appctl-client-${version}.tgz`;

let held: Promise<ClientArchive> | undefined;

/** @throws Error where the source runs without the packages that build it */
export async function clientArchive(): Promise<ClientArchive> {
  if (!packaged && isStale(keyOf(buildInfo().version))) {
    await (building ??= build().finally(() => {
      building = undefined;
    }));
    held = undefined;
  }
  held ??= read();
  return held;
}

async function read(): Promise<ClientArchive> {
  const { version } = buildInfo();
  const bytes = readAsset(keyOf(version));
  return { version, bytes, integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}` };
}

let building: Promise<unknown> | undefined;

const build = (): Promise<unknown> =>
  promisify(execFile)(process.execPath, [join(sourceRoot, 'bin/build-client.ts')], { cwd: sourceRoot });

function isStale(key: string): boolean {
  const built = statSync(join(sourceRoot, key), { throwIfNoEntry: false });
  if (built === undefined) return true;
  const folder = join(sourceRoot, 'src/client');
  const sources = [
    ...readdirSync(folder).map((name) => join(folder, name)),
    join(sourceRoot, 'package.json'),
  ];
  return sources.some((file) => statSync(file).mtimeMs > built.mtimeMs);
}
