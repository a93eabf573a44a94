import type { Answered } from '#kernel/http/surface.ts';
import { counters } from '#kernel/metric.ts';
import { memoryKey } from '#kernel/process-memory.ts';

interface Count {
  readonly labels: { readonly route: string; readonly code: string };
  value: number;
}

/** Denials of this process since its start: as many entries as there are endpoints and reasons. */
const denials = memoryKey('denial-counts', () => new Map<string, Count>());

/** Counts an answer that denies what a license was asked for, also where no such license is known. */
export function countDenied({ ctx }: Pick<Answered, 'ctx'>): void {
  const { trail, route } = ctx.origin;
  const decision = trail?.decision;
  if (!decision?.denied || route === null) return;
  const counts = ctx.memory.of(denials);
  const name = `${route} ${decision.code}`;
  const known = counts.get(name);
  if (known) known.value += 1;
  else counts.set(name, { labels: { route, code: decision.code }, value: 1 });
}

export const denialMetrics = counters(
  {
    appctl_license_denials_total: {
      help: 'Refused requests by endpoint and reason',
      labels: ['route', 'code'],
    },
  },
  (ctx) => ({
    appctl_license_denials_total: [...ctx.memory.of(denials).values()],
  }),
);
