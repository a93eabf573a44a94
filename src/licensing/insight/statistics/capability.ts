import { capability } from '#kernel/capability.ts';
import { flushDailyTotals } from './daily-totals.ts';
import { flushDue, flushStatistics } from './flush.ts';
import { countDenied, denialMetrics } from './metrics.ts';
import { observeAnswer } from './observe.ts';
import { dailyTotalRecord, denialRecord, observationRecord } from './record.ts';

export const statistics = capability({
  name: 'statistics',
  records: [observationRecord, denialRecord, dailyTotalRecord],
  sees(answer) {
    observeAnswer(answer);
    countDenied(answer);
  },
  metrics: [denialMetrics],
  flushes: { statistics: { all: flushStatistics, part: flushDue }, dailyTotals: flushDailyTotals },
});
