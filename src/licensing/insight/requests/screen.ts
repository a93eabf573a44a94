import { screen } from '#platform/admin/index.ts';
import { decision } from './decision.ts';
import { ExplainedRequestView } from './view.ts';

/** Recorded calls of the license API in the panel (admin.md 5.5). */
export const requestScreen = screen(ExplainedRequestView, {
  path: '/admin/requests',
  area: 'insights',
  order: 30,
  key: 'id',
  title: ({ method, route }) => `${method} ${route}`,
  columns: {
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
    ip: { label: 'Address', hidden: true },
  },
  views: [{ name: 'Refused', query: 'failed=true' }],
  facts: {
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
