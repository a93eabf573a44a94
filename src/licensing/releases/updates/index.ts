export { previewCheck } from './check.ts';
export { flushCounts } from './counts.ts';
export {
  latestFor,
  newestFor,
  type OwnBundle,
  type OwnRelease,
  openBundleFor,
  releasesFor,
} from './owner.ts';
export { publicKeysFor, type ReleaseKey } from './public-key.ts';
export { CheckQuery } from './schemas.ts';
