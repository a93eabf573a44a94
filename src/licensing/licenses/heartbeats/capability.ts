import { capability } from '#kernel/capability.ts';
import { cull } from './cull.ts';
import { heartbeatEndpoints } from './endpoints.ts';

export const heartbeats = capability({
  name: 'heartbeats',
  endpoints: heartbeatEndpoints,
  jobs: [
    {
      name: 'heartbeat-cull',
      description: 'Applies the policy to machines that missed their heartbeat',
      everySeconds: 300,
      waitsAfterClockStep: true,
      run: cull,
    },
  ],
});
