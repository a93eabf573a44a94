// What every bundle of the program has in common: the executable's, and the one that the tests start.
import { dirname } from 'node:path';
import type { BuildOptions, Plugin } from 'esbuild';

/** Drivers and tools that knex and pg can load and this program never asks for. */
const unusedDrivers = [
  'sqlite3',
  'mysql',
  'mysql2',
  'mariadb',
  'oracledb',
  'tedious',
  'pg-native',
  'pg-query-stream',
];

/**
 * Modules that their packages load and this program never asks for. The text of the bundle is held in memory, also where
 * it never runs.
 */
const unusedModules: { lookup: RegExp; contents: string }[] = [
  // zod's own messages in 50 languages; English is imported by itself.
  { lookup: /zod[\\/]v4[\\/]locales[\\/]index\.js$/, contents: `export { default as en } from './en.js';` },
  // The prompt that opens an editor, with its tables to guess the encoding of a file.
  { lookup: /@inquirer[\\/]editor[\\/]dist[\\/]index\.js$/, contents: 'export default undefined;' },
  // 2,500 types of files: express names the type of what it sends by this table, which nothing here leaves to it.
  {
    lookup: /mime-db[\\/]db\.json$/,
    contents: `module.exports = ${JSON.stringify({
      'application/json': { charset: 'UTF-8', extensions: ['json'] },
      'application/octet-stream': { extensions: ['bin'] },
      'application/x-www-form-urlencoded': {},
      'text/html': { extensions: ['html'] },
      'text/plain': { extensions: ['txt'] },
    })};`,
  },
  // The databases that are not this program's.
  {
    lookup:
      /knex[\\/]lib[\\/]dialects[\\/](cockroachdb|mariadb|mssql|mysql2?|oracle|oracledb|pgnative|redshift)[\\/]index\.js$/,
    contents: 'module.exports = undefined;',
  },
  // What express marks as outdated it tells developers; finding the caller counts all lines of the program, 10 ms.
  { lookup: /depd[\\/]index\.js$/, contents: `module.exports = require('./lib/browser/index.js');` },
  // The callers of whoever makes a log, for transports in threads, which this program has none of: it counts all lines, too.
  { lookup: /pino[\\/]lib[\\/]caller\.js$/, contents: 'module.exports = () => [];' },
  // Encodings of East Asia for texts in request bodies, which are read as bytes here.
  { lookup: /iconv-lite[\\/]encodings[\\/]dbcs-data\.js$/, contents: 'module.exports = {};' },
];

/**
 * V8 would let the young generation take 64 MB under a flood of requests (R11), and begins with 1 MB, which a start
 * fills a dozen times. Nearly every other flag, `--initial-old-space-size` too, is part of what V8 compares before it
 * takes compiled code: those of Node's own modules would be compiled at each start, 25 ms.
 */
export const heapFlags = ['--min-semi-space-size=16', '--max-semi-space-size=16'];

/** Leaves out what is never asked for. */
export const unusedPlugin: Plugin = {
  name: 'unused-modules',
  setup(bundler) {
    for (const { lookup, contents } of unusedModules) {
      bundler.onLoad({ filter: lookup }, ({ path }) => ({
        contents,
        loader: 'js',
        resolveDir: dirname(path),
      }));
    }
  },
};

/**
 * Options of esbuild for the program as plain JavaScript; whoever bundles adds its entry, format, place and plugins.
 * @param root absolute path of the repository
 */
export const bundleBasics = (root: string) =>
  ({
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    target: `node${process.versions.node}`,
    // Without blanks and comments, which were a third of it. Names stay, so that a stack trace in a bug report can be
    // read, and lines stay short, because Node prints the one that threw. esbuild's keepNames would define each
    // function's name anew, which makes a dictionary of each: 9 MB of an idle server, for names that are right without.
    minifyWhitespace: true,
    lineLimit: 160,
    legalComments: 'none',
    external: unusedDrivers,
    // The names of files are part of a bundle: a folder of packages that is linked must not name where it lies.
    preserveSymlinks: true,
    logLevel: 'warning',
  }) satisfies BuildOptions;
