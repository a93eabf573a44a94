import * as requests from '#licensing/requests/index.ts';
import { card } from '../card.ts';
import { curesOf, reasonOf, refusalAfterDecision, refusalBeforeDecision, traceLines } from '../explain.ts';
import type { Cli } from '../frame/context.ts';
import type { Paint } from '../frame/io.ts';
import { flushServer } from '../fresh.ts';
import { withLocal } from '../open.ts';

/** `appctl license why REQUEST-ID`: the recorded decision in words. */
export async function explainRequest(cli: Cli): Promise<void> {
  const id = cli.argument('request-id').trim();
  await flushServer(cli);
  await withLocal(cli, async ({ ctx }) => {
    const request = await requests.get(ctx, id);
    await cli.out.value(request, explanation(request));
    const { facts, licenseId } = request;
    if (facts && licenseId !== null) cli.next(...curesOf(facts.code, licenseId));
  });
}

function explanation(request: requests.ExplainedRequest): (paint: Paint) => string {
  const { method, route, status, code, trace, facts } = request;
  const lines = card([
    ['request', request.id],
    ['at', request.at],
    ['call', `${method} ${route}`],
    ['answer', code === null ? String(status) : `${status} ${code}`],
    ['license', request.licenseId],
    ['API key', request.apiKeyId],
    ['address', request.ip],
    ['client', request.userAgent],
    ['took', `${request.ms} ms`],
  ]);
  return (paint) =>
    [
      lines(paint),
      '',
      facts === null ? undecided(request) : decided(request, facts),
      ...traceLines(trace ?? [], paint),
    ].join('\n');
}

const undecided = ({ status, code }: requests.ExplainedRequest): string =>
  status < 300 ? 'The request succeeded; no license was judged.' : refusalBeforeDecision(code ?? '');

function decided(
  { status, code: answer }: requests.ExplainedRequest,
  { action, code }: NonNullable<requests.ExplainedRequest['facts']>,
): string {
  const reason = reasonOf(code);
  if (reason !== '' || status < 300)
    return `${action}: ${reason || 'allowed, every rule that was asked was met.'}`;
  // What was decided could not be carried out, because the database was away for example.
  return `${action}: every rule that was asked was met. ${refusalAfterDecision(answer ?? '')}`;
}
