export { compareVersions, isVersion } from '#licensing/version-order.ts';
export { attachBundle, type BundleSent } from './bundle.ts';
export type { ChangeOptions } from './change.ts';
export { create, remove, update } from './draft.ts';
export { archive, promote, unyank, yank } from './lifecycle.ts';
export { publish } from './publish.ts';
export { releaseRows } from './queries.ts';
export { find, get, servableReleases, stats } from './read.ts';
export { releaseRecord } from './record.ts';
export type { ReleaseReason } from './refusal.ts';
export type { Release } from './release.ts';
export { effectiveBps, FULL_ROLLOUT, inRollout, toBps, toPercent } from './rollout.ts';
export { rollout } from './rollout-change.ts';
export type {
  PromoteSent,
  PublishSent,
  ReleaseCreateInput,
  ReleaseUpdateInput,
  RenewalSent,
  RolloutSent,
  SignatureSent,
} from './schemas.ts';
export { archField, platformField, ReleaseFields } from './schemas.ts';
export { attachSignature, renewStatement } from './signature.ts';
export { RELEASE_STATES, type ReleaseState, type Rollout, type RolloutStep } from './states.ts';

export type { ReleaseStats, ReleaseView } from './view.ts';
export { releaseView } from './view.ts';
