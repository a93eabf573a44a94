import { capability } from '#kernel/capability.ts';
import { reportChecks } from './checks.ts';
import { reportEndpoints } from './endpoints.store.ts';
import { countReports, sendReports } from './jobs.ts';
import { reportsLocal } from './local.ts';
import { reportPages } from './pages/pages.ts';
import { changeRecord, countedRecord, dailyRecords, reportStateRecord } from './record.ts';
import { scheduleEvents } from './schedules/events.ts';
import { reportMail } from './schedules/mail.ts';
import { scheduleRecord } from './schedules/record.ts';
import { scheduleResource } from './schedules/resource.ts';

/** What the shop sold and took, by day (decision 0088). */
export const shopReports = capability({
  ...reportsLocal,
  pages: reportPages,
  records: [...Object.values(dailyRecords), changeRecord, countedRecord, reportStateRecord, scheduleRecord],
  events: [scheduleEvents],
  resources: [scheduleResource],
  mails: [reportMail],
  storeEndpoints: reportEndpoints,
  jobs: [countReports, sendReports],
  checks: reportChecks,
});
