import type { Ctx } from '#kernel/context.ts';
import { counted } from '#kernel/counts.ts';
import { limitAddress } from '#kernel/http/client-address.ts';
import { localMinute } from '#kernel/local-time.ts';
import { type ExplainedRefusal, explainRefusals } from '#licensing/insight/limit-refusals/index.ts';
import * as requests from '#licensing/insight/requests/index.ts';
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
    const refusal = await refusalOf(ctx, request);
    await cli.out.value(
      { ...request, refusal: refusal ? refusalView(refusal) : null },
      explanation(request, refusal),
    );
    if (refusal) cli.next(refusal.command);
    const { facts, licenseId } = request;
    if (facts && licenseId !== null) cli.next(...curesOf(facts.code, licenseId));
  });
}

/** What the limit that refused this request has refused its caller since. */
async function refusalOf(
  ctx: Ctx,
  { bucket, apiKeyId, ip, at }: requests.ExplainedRequest,
): Promise<ExplainedRefusal | undefined> {
  if (bucket === null) return undefined;
  const found = await explainRefusals(ctx, { bucket, since: at });
  const subjects = [apiKeyId, limitAddress(ip), ''];
  return found.find(({ subject }) => subjects.includes(subject));
}

const refusalView = ({ who, limit, count, firstAt, command }: ExplainedRefusal) => ({
  who,
  limit,
  count,
  firstAt,
  command,
});

function explanation(
  request: requests.ExplainedRequest,
  refusal: ExplainedRefusal | undefined,
): (paint: Paint) => string {
  const { method, route, status, code, trace, facts } = request;
  const lines = card([
    ['request', request.id],
    ['at', request.at],
    ['call', `${method} ${route}`],
    ['answer', code === null ? String(status) : `${status} ${code}`],
    ['limit', refusal ? `${request.bucket}, ${refusal.limit}` : request.bucket],
    ['refused', refusal && refusedText(refusal)],
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

const refusedText = ({ count, who, firstAt }: ExplainedRefusal): string =>
  `${counted(count, 'request')} of ${who} since ${localMinute(new Date(firstAt))}`;

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
