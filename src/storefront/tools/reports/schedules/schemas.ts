import { z } from 'zod';
import { email, flag, integer, oneOf, optional } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { COMPARED } from '../daily/ranges.ts';
import { REPORT_NAMES, type ReportName } from '../kinds/kinds.ts';
import { EVERY } from './due.ts';

export const MOST_RECIPIENTS = 20;

const report = () => oneOf(REPORT_NAMES as readonly [ReportName, ...ReportName[]]);
const every = () => oneOf(EVERY).describe('`day`: yesterday; `week`: on Mondays; `month`: on the first');
const recipients = () =>
  z
    .array(email(), { error: 'must be a list of email addresses' })
    .min(1, 'needs at least one address')
    .max(MOST_RECIPIENTS, `must have at most ${MOST_RECIPIENTS} entries`)
    .describe('Addresses of staff who may see reports');

const others = {
  hour: optional(integer(0, 23)).describe("In the shop's time zone; default 7"),
  compare: oneOf(COMPARED)
    .nullable()
    .optional()
    .describe('`previous`: the same number of days right before; `year`: the same days of the year before'),
  isOn: optional(flag()),
};

/** Input that has a report sent. */
export const ScheduleCreate = later(() =>
  z.strictObject({
    report: report(),
    every: every(),
    recipients: recipients(),
    ...others,
  }),
);
export type ScheduleCreateInput = z.output<typeof ScheduleCreate>;

/** Input that changes when and to whom: absent leaves a field. */
export const ScheduleUpdate = later(() =>
  z.strictObject({
    report: optional(report()),
    every: optional(every()),
    recipients: optional(recipients()),
    ...others,
  }),
);
export type ScheduleUpdateInput = z.output<typeof ScheduleUpdate>;
