import { z } from 'zod';
import { later } from '#kernel/sharing.ts';
import { DenialsView } from './view.ts';

const share = (description: string) => z.number().nullable().describe(`${description}, in percent`);
const month = () => z.string().describe('The month, in UTC');

/** What became of the terms that ended in a month. */
export const RenewalCohortView = later(() =>
  z
    .object({
      month: month(),
      due: z.int().describe('Terms that ended in the month, or will'),
      renewed: z.int().describe('Of these: followed by another term'),
      lapsed: z.int().describe('Of these: ended without another term'),
      open: z.int().describe('Of these: still running'),
      renewedPercent: share('Renewed, as a share of renewed and lapsed'),
    })
    .meta({ id: 'RenewalCohort' }),
);

/** Licenses that a month began with, and those that it lost. */
export const ChurnView = later(() =>
  z
    .object({
      month: month(),
      atStart: z.int().describe('Usable licenses at the start of the month'),
      created: z.int().describe('Licenses that were created in the month'),
      expired: z.int().describe('Licenses that expired in the month and were not renewed'),
      revoked: z.int().describe('Licenses that were revoked in the month'),
      churnPercent: share('Expired and revoked, as a share of those at the start'),
    })
    .meta({ id: 'Churn' }),
);

/** Machines that run a version. */
export const VersionAdoptionView = later(() =>
  z
    .object({
      productId: z.string(),
      productSlug: z.string(),
      version: z
        .string()
        .nullable()
        .describe('Version that the application reported; null when it reported none'),
      machines: z.int(),
      sharePercent: share("Share of the product's machines"),
    })
    .meta({ id: 'VersionAdoption' }),
);

/** How what was sent to a webhook arrived. */
export const WebhookReliabilityView = later(() =>
  z
    .object({
      webhookId: z.string(),
      name: z.string(),
      url: z.string(),
      sent: z.int().describe('Deliveries due in the range, without tests and skipped ones'),
      delivered: z.int(),
      failed: z.int().describe('Failed after the last attempt'),
      pending: z.int(),
      attempts: z.int(),
      deliveredPercent: share('Delivered, as a share of delivered and failed'),
    })
    .meta({ id: 'WebhookReliability' }),
);

/** Each report by its name: its rows, and what they measure. */
export const reportRows = {
  'renewal-cohorts': RenewalCohortView,
  churn: ChurnView,
  'version-adoption': VersionAdoptionView,
  'denied-seats': DenialsView,
  'webhook-reliability': WebhookReliabilityView,
} as const;

export type ReportName = keyof typeof reportRows;
export type ReportRow = z.output<(typeof reportRows)[ReportName]>;

/** The rows of one report, with the days that were asked for. */
export const ReportAnswer = later(() =>
  z
    .object({
      name: z.enum(Object.keys(reportRows) as [ReportName, ...ReportName[]]),
      from: z.iso.date(),
      to: z.iso.date(),
      rows: z.array(z.union(Object.values(reportRows))),
    })
    .meta({ id: 'Report' }),
);
