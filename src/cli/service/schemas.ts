import { z } from 'zod';

/** `appctl restart --json`. */
export const RestartOutput = z.strictObject({
  pid: z.int(),
  /** The server before it. */
  predecessor: z.int(),
  ms: z.int(),
  /** Unit that systemd restarted; null where the server started its own successor. */
  unit: z.string().nullable(),
});

/** `appctl drain --json`. */
export const DrainOutput = z.strictObject({ draining: z.boolean() });

/** `appctl service print|install|uninstall --json`. */
export const ServiceOutput = z.strictObject({
  unitPath: z.string(),
  unit: z.string(),
  socketPath: z.string(),
  socket: z.string(),
  /** Of the sockets that redirect plain HTTP; null without tls.redirect_listen. */
  redirectSocketPath: z.string().nullable(),
  redirectSocket: z.string().nullable(),
  dryRun: z.boolean().optional(),
});
