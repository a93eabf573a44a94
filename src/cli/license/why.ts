import { counted } from '#kernel/counts.ts';
import { localMinute } from '#kernel/local-time.ts';
import type { ExplainedRequest, Refusal } from '#licensing/insight/requests/index.ts';
import { card } from '../card.ts';
import { at } from '../desk/desk.ts';
import { curesOf, reasonOf, refusalAfterDecision, refusalBeforeDecision, traceLines } from '../explain.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import type { Paint } from '../frame/io.ts';
import { wrapped } from '../frame/wrap.ts';
import { withRequests } from '../requests/twin.ts';

/** `appctl license why REQUEST-ID`: the recorded decision in words. */
export async function explainRequest(cli: Cli): Promise<void> {
  const id = cli.argument('request-id').trim();
  if (id.startsWith('lic_'))
    throw usageError(`${id} is a license, not a request`, `appctl requests list --license ${id}`);
  await withRequests(cli, async (desk) => {
    const { request } = await desk.get<{ request: Explained }>(at`requests/${id}`);
    const { refusal, facts, licenseId } = request;
    await cli.out.value(request, explanation(request, cli.io.stdout));
    if (refusal) cli.next(refusal.command);
    if (facts && licenseId !== null) cli.next(...curesOf(facts.code, licenseId));
  });
}

type Explained = ExplainedRequest & { refusal: Refusal | null };

function explanation(request: Explained, stream: NodeJS.WriteStream): (paint: Paint) => string {
  const { method, route, status, code, trace, facts, refusal } = request;
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
      wrapped(stream, facts === null ? undecided(request) : decided(request, facts)),
      ...traceLines(trace ?? [], paint, stream),
    ].join('\n');
}

const refusedText = ({ count, who, firstAt }: Refusal): string =>
  `${counted(count, 'request')} of ${who} since ${localMinute(new Date(firstAt))}`;

const undecided = ({ status, code }: ExplainedRequest): string =>
  status < 300 ? 'The request succeeded; no license was checked.' : refusalBeforeDecision(code ?? '');

function decided(
  { status, code: answer }: ExplainedRequest,
  { action, code }: NonNullable<ExplainedRequest['facts']>,
): string {
  const reason = reasonOf(code);
  if (reason !== '' || status < 300)
    return `${action}: ${reason || 'allowed; every rule that was checked was met.'}`;
  // What was decided could not be carried out, because the database was away for example.
  return `${action}: every rule that was checked was met. ${refusalAfterDecision(answer ?? '')}`;
}
