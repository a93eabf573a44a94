import type { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import type { ExplainedRequestView } from './view.ts';

/** How an answer came about, in words, and the call as a command to send it again. */
export async function decision(
  ctx: Ctx,
  request: z.output<typeof ExplainedRequestView>,
): Promise<Record<string, unknown>> {
  const { trace, facts, refusal, method, route } = request;
  return {
    trace: trace ?? [],
    facts: facts === null ? null : JSON.stringify(facts, null, 2),
    refusal,
    curl: curlOf(ctx.baseUrl, method, route),
  };
}

/** What a request was is recorded, what was in it is not: the key and the body are the caller's. */
const curlOf = (baseUrl: string, method: string, route: string): string => {
  const start = `curl -sS -X ${method} '${(baseUrl + route).replaceAll("'", '%27')}' -H "X-API-Key: $APPCTL_API_KEY"`;
  return method === 'GET' || method === 'DELETE'
    ? start
    : `${start} -H 'Content-Type: application/json' --data @body.json`;
};
