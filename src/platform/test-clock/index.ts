import { capability } from '#kernel/capability.ts';
import { endpoint, ok } from '#kernel/http/endpoint.ts';
import { requireWholeInstallation } from '../admin/index.ts';
import { ClockReply, MoveClockBody, moveClock } from './test-clock.ts';

export { ClockReply, type MoveClock, MoveClockBody, moveClock } from './test-clock.ts';

/** Only of a server in development mode (decision 0028): in production it is not mounted, and its clock cannot move. */
export const testClock = capability({
  name: 'test-clock',
  adminEndpoints: [
    endpoint({
      method: 'post',
      path: '/api/v1/admin/dev/clock',
      summary: 'Move the test clock',
      scope: 'licensing:danger',
      limit: null,
      body: MoveClockBody,
      replies: { 200: ClockReply },
      errors: ['VALIDATION_ERROR'],
      async handle(ctx, { body }) {
        // All tenants go by the one clock: who looks after one of them must not move it for the others.
        requireWholeInstallation(ctx);
        return ok(moveClock(ctx, body));
      },
    }),
  ],
});
