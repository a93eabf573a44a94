import { capability, type Job } from '#kernel/capability.ts';
import { photoEndpoints } from './endpoints.shop.ts';
import { purgePhotos } from './photos.ts';
import { customerPhotoRecord } from './record.ts';

const purge: Job = {
  name: 'purge-photos',
  description: 'Removes unused customer photos some days after they were uploaded',
  everySeconds: 3600,
  waitsAfterClockStep: true,
  run: purgePhotos,
};

/** Photos that customers send with returns and reviews. */
export const shopPhotos = capability({
  name: 'shop-photos',
  records: [customerPhotoRecord],
  storeEndpoints: photoEndpoints,
  jobs: [purge],
});
