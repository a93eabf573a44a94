#!/usr/bin/env node
// JavaScript and not TypeScript, because Node would load its compiler for this one file on every start: 35 ms and
// 15 MB. All others come out of the cache that is switched on here.
import { enableCompileCache, registerHooks } from 'node:module';
import { join } from 'node:path';
import { isSea } from 'node:sea';

// Reading the sources anew on every call costs more than half of a short command's time. The cache lies among the
// installed packages: whoever can write there can change the program anyway, unlike in the shared temp folder.
// The executable carries its own.
if (!isSea()) {
  enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/appctl'));
  registerHooks({ resolve: resolveSource });
}

// Imported now and not above, so that the cache holds for it; not awaited, because the executable is CommonJS.
void import('../src/cli/index.ts').then(({ main }) => main());

/**
 * Finds a file of the sources by its name alone, as package.json says in `imports` (`#kernel/x.ts` is
 * `src/kernel/x.ts`). Node would look up the package and the file for each of 8,000 imports, a quarter of a server's
 * start.
 * @type {import('node:module').ResolveHookSync}
 */
function resolveSource(specifier, context, next) {
  const isAlias = specifier.startsWith('#');
  if (!isAlias && !(specifier.startsWith('.') && specifier.endsWith('.ts'))) return next(specifier, context);
  const path = isAlias ? `../src/${specifier.slice(1)}` : specifier;
  const { href } = new URL(path, isAlias ? import.meta.url : context.parentURL);
  return { url: href, format: 'module-typescript', shortCircuit: true };
}
