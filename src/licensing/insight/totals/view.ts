import { z } from 'zod';
import { instant } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';

const figure = (description: string) => z.int().describe(description);

/** What was asked on one day. */
const Day = later(() =>
  z.object({
    day: z.iso.date(),
    validations: z.int(),
    denials: z.int(),
    heartbeats: z.int(),
  }),
);
export type Day = z.output<typeof Day>;

/** What a vendor opens the day with (licensing 6.10), of the tenant and of the products that the caller sees. */
export const OverviewView = later(() =>
  z
    .object({
      at: instant(),
      from: z.iso.date().describe('First of `days`, in UTC'),
      to: z.iso.date().describe('Last of `days`, in UTC'),
      licenses: z.object({
        total: figure('Without the trash and canary keys'),
        byStatus: z.object({ ACTIVE: z.int(), EXPIRED: z.int(), SUSPENDED: z.int(), REVOKED: z.int() }),
        expiringIn30Days: figure('Active licenses that expire within 30 days'),
        newThisMonth: figure('Created since the first of the month, in UTC'),
      }),
      activeMachines: figure('Activated machines, without floating seats'),
      seats: z.object({
        used: figure('Floating seats that are checked out'),
        limit: figure('Seats of all floating licenses that can be used'),
      }),
      denialsIn30Days: figure('Refused requests about known licenses, including today'),
      days: z.array(Day),
    })
    .meta({ id: 'Overview' }),
);
export type Overview = z.output<typeof OverviewView>;

const duration = (percent: number) =>
  z
    .number()
    .nullable()
    .describe(`Milliseconds that ${percent} % of the calls stayed below; null without a call`);

/** How long the calls of a day took. */
export const DurationOfDay = later(() =>
  z.object({
    day: z.iso.date(),
    calls: z.int(),
    failed: z.int().describe('Calls with an error answer'),
    p50: duration(50),
    p95: duration(95),
    p99: duration(99),
  }),
);

/** How long calls of the license API took, by day. */
export const DurationsView = later(() =>
  z
    .object({
      from: z.iso.date().describe('First of `days`, in UTC'),
      to: z.iso.date().describe('Last of `days`, in UTC'),
      days: z.array(DurationOfDay),
    })
    .meta({ id: 'Durations' }),
);
export type Durations = z.output<typeof DurationsView>;
