// What this program says about itself: read from the file the build writes, else from package.json.
import { packaged, readAsset } from './assets.ts';

/** `commit` and `builtAt` (ISO 8601 UTC) are null when the source runs, or when the build had no git at hand. */
export type BuildInfo = { version: string; commit: string | null; builtAt: string | null };

/**
 * Version, commit and build time of the running program.
 * @throws Error when the executable carries no such file, which only a broken build can cause
 */
export function buildInfo(): BuildInfo {
  if (packaged) return JSON.parse(readAsset('build.json').toString('utf8')) as BuildInfo;
  const { version } = JSON.parse(readAsset('package.json').toString('utf8')) as { version: string };
  return { version, commit: null, builtAt: null };
}
