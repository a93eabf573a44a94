import { capability } from '#kernel/capability.ts';
import { totalMetrics } from './metrics.ts';

export const totals = capability({ name: 'totals', metrics: [totalMetrics] });
