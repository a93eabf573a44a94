import { capability } from '#kernel/capability.ts';
import { SECONDS_PER_DAY } from '#kernel/clock.ts';
import { licenseEndpoints } from './endpoints.ts';
import { licenseStaffEvents } from './events.ts';
import { expireLicenses } from './expiry/job.ts';
import { lifecycleEndpoints } from './lifecycle-endpoints.ts';
import { markActivated } from './marks/job.ts';
import { licenseKeyRecord, licenseRecord } from './record.ts';
import { licenseResource } from './resource.ts';
import { csvPage } from './rows/page.ts';
import { severalPage } from './several-page.ts';
import { purgeTrash } from './trash/purge-job.ts';

export const licenses = capability({
  name: 'licenses',
  events: [licenseStaffEvents],
  endpoints: [...licenseEndpoints, ...lifecycleEndpoints],
  resources: [licenseResource],
  pages: [severalPage, csvPage],
  records: [licenseRecord, licenseKeyRecord],
  jobs: [
    {
      name: 'license-expiry',
      description: 'Marks expired licenses and sends their event once',
      everySeconds: 60,
      waitsAfterClockStep: true,
      run: expireLicenses,
    },
    {
      name: 'trash-purge',
      description: 'Permanently deletes licenses that were in the trash long enough',
      everySeconds: SECONDS_PER_DAY,
      waitsAfterClockStep: true,
      run: purgeTrash,
    },
    {
      name: 'license-marks',
      description: 'Records which licenses have been activated, which speeds up lists of the others',
      everySeconds: 3600,
      run: markActivated,
    },
  ],
});
