import { capability } from '#kernel/capability.ts';
import { countCall, flushCalls } from './calls.ts';
import { flushDailyTotals } from './daily-totals.ts';
import { flushDue, flushStatistics } from './flush.ts';
import { countDenied, denialMetrics } from './metrics.ts';
import { observeAnswer } from './observe.ts';
import { callDayRecord, dailyTotalRecord, denialRecord, keyHourRecord, observationRecord } from './record.ts';

export const statistics = capability({
  name: 'statistics',
  records: [observationRecord, denialRecord, dailyTotalRecord, keyHourRecord, callDayRecord],
  sees(answer) {
    observeAnswer(answer);
    countDenied(answer);
    countCall(answer);
  },
  metrics: [denialMetrics],
  flushes: {
    statistics: { all: flushStatistics, part: flushDue },
    dailyTotals: flushDailyTotals,
    calls: flushCalls,
  },
});
