import { capability } from '#kernel/capability.ts';
import { seatEndpoints } from './endpoints.ts';
import { expireLeases } from './expiry.ts';
import { seatResource } from './resource.ts';

export const seats = capability({
  name: 'seats',
  endpoints: seatEndpoints,
  resources: [seatResource],
  jobs: [
    {
      name: 'lease-expiry',
      description: 'Ends leases that have run out and frees their seats',
      everySeconds: 60,
      waitsAfterClockStep: true,
      run: expireLeases,
    },
  ],
});
