import { capability } from '#kernel/capability.ts';
import { reportChecks } from './checks.ts';
import { reportEndpoints } from './endpoints.store.ts';
import { countReports } from './jobs.ts';
import { reportsLocal } from './local.ts';
import { reportPages } from './pages/pages.ts';
import { changeRecord, countedRecord, dailyRecords, reportStateRecord } from './record.ts';

/** What the shop sold and took, by day (decision 0088). */
export const shopReports = capability({
  ...reportsLocal,
  pages: reportPages,
  records: [...Object.values(dailyRecords), changeRecord, countedRecord, reportStateRecord],
  storeEndpoints: reportEndpoints,
  jobs: [countReports],
  checks: reportChecks,
});
