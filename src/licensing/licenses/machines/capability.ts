import { capability } from '#kernel/capability.ts';
import { machineAdminEndpoints } from './admin-endpoints.ts';
import { machineEndpoints } from './endpoints.ts';
import { activationResource } from './resource.ts';
import { countVersions } from './versions/count.ts';
import { versionDayRecord } from './versions/record.ts';

export const machines = capability({
  name: 'machines',
  endpoints: machineEndpoints,
  adminEndpoints: machineAdminEndpoints,
  resources: [activationResource],
  records: [versionDayRecord],
  jobs: [
    {
      name: 'version-count',
      description: 'Counts the machines of each product by version, for charts',
      everySeconds: 3600,
      run: countVersions,
    },
  ],
});
