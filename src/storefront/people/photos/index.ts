export { photoPath, photoUpload } from './endpoints.shop.ts';
export { keepPhotos, MOST_PHOTOS, PHOTO_SIZES, photoOf, type SentPhoto, storePhoto } from './photos.ts';
export type { CustomerPhoto, PhotoPurpose } from './record.ts';
export { movePhotos } from './repository.ts';
