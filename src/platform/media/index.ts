export { change, get, rebuild, remove, requirePicture } from './media.ts';
export { mediaByIds, mediaRows } from './queries.ts';
export { type RebuildState, rebuildState, startRebuild } from './rebuild-all.ts';
export { MEDIA_STATUSES, MEDIA_TYPES, type Media, mediaRecord } from './record.ts';
export { type Rendering, variantsJob } from './render.ts';
export { replace } from './replace.ts';
export { find, findBySha } from './repository.ts';
export { MediaUpdate, Rebuild } from './schemas.ts';
export { type SentPicture, upload } from './upload.ts';
