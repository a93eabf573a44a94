// The blob that Node reads from inside the executable, and the executable.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { heapFlags } from './bundle.ts';

/** What the start reads out of the file: it is told where each of them begins. */
const READ_BY_START = ['main.js', 'serve.cache', 'command.cache'];
const PLACES = 'places.json';

/** As long whatever the places are, so that they can be written over what stood for them. */
const placesText = (placeOf: (key: string) => number): string =>
  JSON.stringify(
    Object.fromEntries(READ_BY_START.map((key) => [key, String(placeOf(key)).padStart(12, '0')])),
  );

/**
 * Turns the program and its assets into the blob that Node reads from inside the executable.
 * @param start what it runs first
 * @param flags of V8, beside those that every executable has
 */
export function makeBlob(
  work: string,
  start: string,
  assets: Record<string, string>,
  flags: readonly string[] = [],
): Buffer {
  writeFileSync(join(work, 'start.cjs'), start);
  writeFileSync(
    join(work, PLACES),
    placesText(() => 0),
  );
  const config = {
    // Relative, because the path becomes part of the blob.
    main: 'start.cjs',
    output: 'appctl.blob',
    disableExperimentalSEAWarning: true,
    execArgv: ['--disable-warning=ExperimentalWarning', ...heapFlags, ...flags],
    // Otherwise NODE_OPTIONS=--require would run foreign code inside of the program.
    execArgvExtension: 'none',
    assets: { ...assets, [PLACES]: join(work, PLACES) },
  };
  writeFileSync(join(work, 'sea.json'), JSON.stringify(config));
  // What it prints appears in the error when it fails, and would only be noise otherwise.
  execFileSync(process.execPath, ['--experimental-sea-config', 'sea.json'], { cwd: work, stdio: 'pipe' });
  return readFileSync(join(work, config.output));
}

type Inject = (file: string, name: string, data: Buffer, options: Record<string, string>) => Promise<void>;

/**
 * Puts the blob into a copy of a Node and moves it into place at once, so that a running one is not disturbed.
 * @param node absolute path of that Node
 * @param assets what the blob was made of
 */
export async function makeExecutable(
  node: string,
  blob: Buffer,
  assets: Record<string, string>,
  out: string,
): Promise<void> {
  mkdirSync(dirname(out), { recursive: true });
  const [injected, fresh] = [`${out}.${process.pid}.injected`, `${out}.${process.pid}.new`];
  try {
    copyFileSync(node, injected);
    chmodSync(injected, 0o755);
    const { inject } = createRequire(import.meta.url)('postject') as { inject: Inject };
    await inject(injected, 'NODE_SEA_BLOB', blob, {
      sentinelFuse: 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2',
      ...(process.platform === 'darwin' ? { machoSegmentName: 'NODE_SEA' } : {}),
    });
    writePlaces(injected, assets);
    // macOS runs no file whose signature broke.
    if (process.platform === 'darwin') execFileSync('codesign', ['--sign', '-', '--force', injected]);
    // postject writes the file at once, and Linux keeps it in large blocks until it is read anew, which a process maps
    // whole: it would show 17 MB more resident than the same file on the machine that it is made for.
    copyFileSync(injected, fresh);
    chmodSync(fresh, 0o755);
    renameSync(fresh, out);
  } finally {
    for (const file of [injected, fresh]) rmSync(file, { force: true });
  }
}

/** Writes into the executable where it holds what the start reads. */
function writePlaces(executable: string, assets: Record<string, string>): void {
  const content = readFileSync(executable);
  const placeOf = (key: string): number => {
    const file = assets[key];
    const place = file === undefined ? 0 : content.indexOf(readFileSync(file));
    if (place < 0) throw new Error(`the executable does not hold ${key} in one piece`);
    return place;
  };
  const places = placesText(placeOf);
  const at = content.indexOf(placesText(() => 0));
  if (at < 0) throw new Error(`the executable does not hold ${PLACES}`);
  const file = openSync(executable, 'r+');
  try {
    writeSync(file, places, at);
  } finally {
    closeSync(file);
  }
}
