import { capability } from '#kernel/capability.ts';
import { transferEndpoints } from './admin-endpoints.ts';
import { exportEvents, transferImportEvents } from './events.ts';
import { sweep } from './sweep.ts';

/** Exports and imports as files over the admin API. */
export const transfers = capability({
  name: 'transfers',
  adminEndpoints: transferEndpoints,
  events: [exportEvents, transferImportEvents],
  jobs: [
    {
      name: 'transfer-sweep',
      description: 'Deletes export files after a day, and leftovers of processes that died',
      everySeconds: 600,
      everyProcess: true,
      run: sweep,
    },
  ],
});
