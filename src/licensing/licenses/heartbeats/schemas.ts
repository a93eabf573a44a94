import { z } from 'zod';
import { instant, optional } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { keyedBody, machineIdField, nonceField } from '#licensing/contract/fields.ts';

/** Body of heartbeat. */
export const HeartbeatBody = keyedBody('key', {
  machineId: machineIdField(),
  nonce: optional(nonceField()),
}).meta({ id: 'HeartbeatBody' });
export type HeartbeatInput = z.output<typeof HeartbeatBody>;

/** Reply of heartbeat; the surface adds `success`. */
export const HeartbeatReply = later(() =>
  z
    .object({
      /** Absent without a heartbeat policy (D68). */
      nextHeartbeatAt: instant().optional(),
      nonce: z.string().optional(),
    })
    .meta({ id: 'Heartbeat' }),
);
