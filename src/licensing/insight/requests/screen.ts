import type { z } from 'zod';
import { type Column, screen } from '#platform/admin/index.ts';
import { decision } from './decision.ts';
import { ExplainedRequestView } from './view.ts';

/** What the list and the page of a request show. */
const told: Readonly<Record<string, Column<z.output<typeof ExplainedRequestView>>>> = {
  at: { label: 'Time', kind: 'date' },
  request: { kind: 'code', value: ({ method, route }) => `${method} ${route}` },
  status: { kind: 'number' },
  code: {},
  ms: { label: 'Took (ms)' },
  license: {
    kind: 'code',
    value: ({ licenseId }) => licenseId,
    link: ({ licenseId }) => licenseId && `/admin/licenses/${licenseId}`,
  },
};

/** Recorded calls of the license API in the panel (admin.md 5.5). */
export const requestScreen = screen(ExplainedRequestView, {
  path: '/admin/requests',
  words: 'refusal api calls errors',
  area: 'insights',
  order: 30,
  key: 'id',
  title: ({ method, route }) => `${method} ${route}`,
  columns: {
    ...told,
    ip: { label: 'Address', hidden: true },
  },
  charts: async (ctx, query) => (await import('./hours/charts.ts')).requestCharts(ctx, query),
  views: [{ name: 'Refused', query: 'failed=true' }],
  facts: {
    ...told,
    apiKeyId: { label: 'API key', kind: 'code' },
    ip: { label: 'Address' },
    userAgent: { label: 'Client' },
    id: { label: 'Request ID' },
  },
  tabs: { decision: { label: 'Explanation', template: 'licensing/requests/decision', load: decision } },
  empty: {
    text: 'Calls of the license API appear here.',
    docs: 'explain-a-refusal',
    cli: 'appctl requests list',
  },
});
