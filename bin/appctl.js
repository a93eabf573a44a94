#!/usr/bin/env node
// JavaScript and not TypeScript, because Node would load its compiler for this one file on every start: 35 ms and
// 15 MB. All others come out of the cache that is switched on here.
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { isSea } from 'node:sea';

// Reading the sources anew on every call costs more than half of a short command's time. The cache lies among the
// installed packages: whoever can write there can change the program anyway, unlike in the shared temp folder.
// The executable carries its own.
if (!isSea()) enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/appctl'));

// Imported now and not above, so that the cache holds for it; not awaited, because the executable is CommonJS.
void import('../src/cli/index.ts').then(({ main }) => main());
