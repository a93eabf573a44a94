export { change, get, rebuild, remove } from './media.ts';
export { mediaRows } from './queries.ts';
export { MEDIA_STATUSES, MEDIA_TYPES, type Media, mediaRecord, newMediaId } from './record.ts';
export { type Rendering, variantsJob } from './render.ts';
export { findBySha } from './repository.ts';
export { MediaUpdate, Rebuild } from './schemas.ts';
export { type SentPicture, upload } from './upload.ts';
