import { capability } from '#kernel/capability.ts';
import { flushDue, flushStatistics } from './flush.ts';
import { countDenied, denialMetrics } from './metrics.ts';
import { observeAnswer } from './observe.ts';
import { denialRecord, observationRecord } from './record.ts';

export const statistics = capability({
  name: 'statistics',
  records: [observationRecord, denialRecord],
  sees(answer) {
    observeAnswer(answer);
    countDenied(answer);
  },
  metrics: [denialMetrics],
  flushes: { statistics: { all: flushStatistics, part: flushDue } },
});
