import { capability } from '#kernel/capability.ts';
import { seatEndpoints } from './endpoints.ts';
import { expireLeases } from './expiry.ts';
import { countSeats } from './hours/count.ts';
import { seatHourRecord } from './hours/record.ts';
import { seatResource } from './resource.ts';

export const seats = capability({
  name: 'seats',
  endpoints: seatEndpoints,
  resources: [seatResource],
  records: [seatHourRecord],
  jobs: [
    {
      name: 'lease-expiry',
      description: 'Ends expired leases and frees their seats',
      everySeconds: 60,
      waitsAfterClockStep: true,
      run: expireLeases,
    },
    {
      name: 'seat-count',
      description: 'Counts the floating seats in use of each product, for charts',
      everySeconds: 300,
      run: countSeats,
    },
  ],
});
