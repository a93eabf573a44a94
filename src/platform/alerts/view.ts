import { z } from 'zod';
import { instant } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import type { Alert } from './record.ts';

export const ALERT_STATES = ['open', 'over'] as const;

/** An alert as staff sees it. */
export const AlertView = later(() =>
  z
    .object({
      id: z.string(),
      key: z
        .string()
        .describe('The id of a check, and what it was found in: equal as long as it is the same thing'),
      state: z.enum(ALERT_STATES),
      server: z
        .string()
        .nullable()
        .describe('The server that it is about, of several on one database; null for the installation'),
      title: z.string(),
      message: z.string(),
      hint: z.string().nullable().describe('The command or change that cures it'),
      begunAt: instant(),
      endedAt: instant().nullable().describe('null while it is open'),
    })
    .meta({ id: 'Alert' }),
);
export type AlertView = z.output<typeof AlertView>;

export const alertView = ({
  id,
  key,
  server,
  title,
  message,
  hint,
  createdAt,
  endedAt,
}: Alert): AlertView => ({
  id,
  key,
  state: endedAt === null ? 'open' : 'over',
  server,
  title,
  message,
  hint,
  begunAt: createdAt,
  endedAt,
});
