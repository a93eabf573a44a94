// The shipped files: what the executable holds beside the program.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { BuildInfo } from '../src/kernel/build-info.ts';
import { docsAssets } from '../src/kernel/http/docs.ts';
import { FONT_FILES } from '../src/kernel/vendored-fonts.ts';
import { compress, compressedKey, compressibleAssets, VENDORED } from '../src/kernel/views/static-files.ts';
import { byName, type Natives, nativeManifest, packedLibrary } from './natives.ts';

/** Files of packages that are shipped as they are: paths below the repository. */
export const vendoredFiles = (): string[] => [
  ...docsAssets,
  ...Object.values(VENDORED),
  ...Object.values(FONT_FILES),
];

/**
 * Collects them.
 *
 * @param root of the repository
 * @param work absolute path of a folder for files that are made
 * @returns key in the executable to file on disk: templates, the example of hooks, native libraries and the two files that describe them
 */
export function collectAssets(
  root: string,
  work: string,
  natives: Natives,
  info: BuildInfo,
): Record<string, string> {
  const described = { 'native.json': nativeManifest(natives), 'build.json': info };
  for (const [key, value] of Object.entries(described)) writeFileSync(join(work, key), JSON.stringify(value));
  const templates = globSync(['templates/**/*', 'hooks/*'], { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file): [string, string] => [relative(root, file).split(sep).join('/'), file]);
  const compressed = compressibleAssets().flatMap((key) =>
    (['br', 'gzip'] as const).map((encoding): [string, string] => {
      const file = join(work, compressedKey(key.replaceAll('/', '-'), encoding));
      writeFileSync(file, compress(readFileSync(join(root, key)), encoding));
      return [compressedKey(key, encoding), file];
    }),
  );
  const libraries = [...natives.values()].flatMap((files) => [...files]);
  return Object.fromEntries([
    ...templates.sort(byName),
    ...compressed,
    ...vendoredFiles().map((key): [string, string] => [key, join(root, key)]),
    ...libraries
      .sort(byName)
      .map(([key, file]): [string, string] => [`native/${key}`, packedLibrary(work, key, file)]),
    ...Object.keys(described).map((key): [string, string] => [key, join(work, key)]),
  ]);
}
