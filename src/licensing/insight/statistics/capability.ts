import { capability } from '#kernel/capability.ts';
import { hearAddresses } from './alternation.ts';
import { flushDailyTotals } from './daily-totals.ts';
import { flushDue, flushStatistics } from './flush.ts';
import { countCall, flushKeyHours } from './key-hours.ts';
import { countDenied, denialMetrics } from './metrics.ts';
import { observeAnswer } from './observe.ts';
import { dailyTotalRecord, denialRecord, keyHourRecord, observationRecord } from './record.ts';

export const statistics = capability({
  name: 'statistics',
  records: [observationRecord, denialRecord, dailyTotalRecord, keyHourRecord],
  start: async (ctx) => hearAddresses(ctx),
  sees(answer) {
    observeAnswer(answer);
    countDenied(answer);
    countCall(answer);
  },
  metrics: [denialMetrics],
  flushes: {
    statistics: { all: flushStatistics, part: flushDue },
    dailyTotals: flushDailyTotals,
    keyHours: flushKeyHours,
  },
});
