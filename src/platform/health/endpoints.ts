import { sha256Hex } from '#kernel/crypto.ts';
import { textContent } from '#kernel/http/content.ts';
import { download, endpoint } from '#kernel/http/endpoint.ts';
import { metricsInForce } from '#kernel/http/metrics.ts';
import { fail } from '#kernel/service/errors.ts';
import { requireWholeInstallation } from '../admin/index.ts';

/** The figures of /metrics, for a Prometheus elsewhere that has an admin token (licensing 4.2). */
export const metricsEndpoint = endpoint({
  method: 'get',
  path: '/api/v1/admin/metrics',
  summary: 'Get the metrics of this server in the Prometheus text format',
  scope: 'licensing:read',
  limit: null,
  content: { type: 'text/plain', headers: { 'Cache-Control': '`no-store`' } },
  replies: {},
  errors: ['NOT_FOUND'],
  async handle(ctx) {
    // They count what all tenants have.
    requireWholeInstallation(ctx);
    const { metrics } = ctx.memory.of(metricsInForce);
    if (!metrics)
      throw fail('NOT_FOUND', 'Metrics are off on this server', {
        details: { hint: 'start it with APPCTL_METRICS=on' },
      });
    const { body, contentType } = await metrics.text();
    return download(textContent(contentType, body, { etag: `"${sha256Hex(body)}"` }));
  },
});
