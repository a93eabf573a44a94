import { capability } from '#kernel/capability.ts';
import { sweepFiles } from './digital-files.ts';
import { digitalFileEndpoints } from './endpoints.store.ts';
import { digitalFileEvents } from './events.ts';
import { digitalFilePages } from './pages.ts';
import { digitalFileRecord } from './record.ts';

/** Files that buyers of a variant may download. */
export const shopDigitalFiles = capability({
  name: 'shop-digital-files',
  events: [digitalFileEvents],
  storeEndpoints: digitalFileEndpoints,
  pages: digitalFilePages,
  records: [digitalFileRecord],
  jobs: [
    {
      name: 'digital-file-sweep',
      description: 'Deletes files without a variant for a day, and incomplete uploads',
      everySeconds: 86_400,
      waitsAfterClockStep: true,
      run: sweepFiles,
    },
  ],
});
