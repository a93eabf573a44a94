/** Packages that the executable holds beside the program, compressed, until somebody imports them (packaging.md section 2). */
import { createRequire } from 'node:module';
import { constants, Script } from 'node:vm';
import { brotliDecompressSync } from 'node:zlib';
import { readAsset } from './assets.ts';

/** Where the executable holds a package. */
export const packedKey = (name: string): string => `packed/${name.replaceAll('/', '-')}.js.br`;

const loaded = new Map<string, Record<string, unknown>>();

/**
 * Unpacks a package. The bundle of the executable calls it in place of `import('…')`.
 *
 * @param name of the package
 * @returns what it exports
 * @throws Error when this executable does not hold it
 */
export function loadPacked(name: string): Record<string, unknown> {
  const known = loaded.get(name);
  if (known !== undefined) return known;
  const source = brotliDecompressSync(readAsset(packedKey(name))).toString('latin1');
  const script = new Script(`(function (exports, require, module) {${source}\n})`, {
    filename: packedKey(name),
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const module = { exports: {} as Record<string, unknown> };
  script.runInThisContext()(module.exports, createRequire(process.execPath), module);
  loaded.set(name, module.exports);
  return module.exports;
}
