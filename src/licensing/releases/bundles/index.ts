export { type BundleSubject, openBundle } from './open.ts';
export { awaitBundle } from './repository.ts';
export { bundleStaged, holdBundle, recordBundle, stageBundle } from './upload.ts';
export { type BundleIdentity, verifyStored } from './verify.ts';
export { unpublishFile } from './withdraw.ts';
