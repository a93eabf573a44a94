import { type Check, type Finding, ok, onSchema, warn } from '#kernel/check.ts';
import { addSeconds } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { localMinute } from '#kernel/local-time.ts';
import { type ExplainedRefusal, explainRefusals } from './explain.ts';

const MOST_NAMED = 3;

async function checkRefusals(ctx: Ctx): Promise<Finding> {
  const found = await explainRefusals(ctx);
  if (found.length === 0) return ok('no request was refused by a rate limit in the last 24 hours');
  const named = found.slice(0, MOST_NAMED);
  const total = found.reduce((sum, { count }) => sum + count, 0);
  const more = found.length > MOST_NAMED ? `; and ${found.length - MOST_NAMED} more` : '';
  const finding = warn(
    `rate limits refused ${total === 1 ? '1 request' : `${total} requests`}: ${named.map(inWords).join('; ')}${more}`,
    [...new Set(named.map(cureOf))].join('; '),
  );
  return { ...finding, subjects: found.filter((one) => isWorthAlert(ctx, one)).map(subjectOf) };
}

/** A customer's application that is refused again and again; of addresses nobody knows whether they are anyone's. */
const MANY = 10;
const LATELY_SECONDS = 3600;

const isWorthAlert = (ctx: Ctx, { apiKey, count, lastAt }: ExplainedRefusal): boolean =>
  apiKey !== null && count >= MANY && lastAt >= addSeconds(ctx.now(), -LATELY_SECONDS);

const subjectOf = (one: ExplainedRefusal) => ({
  id: `${one.subject}:${one.bucket}`,
  message: `the ${one.bucket} limit (${one.limit}) refuses requests of ${one.who}`,
  hint: one.command,
});

function inWords({ count, who, bucket, limit, firstAt }: ExplainedRefusal): string {
  const since = localMinute(new Date(firstAt));
  if (bucket === 'failures') return `${count} of ${who}, which tried unknown credentials, since ${since}`;
  return `${count} of ${who} by ${bucket} (${limit}) since ${since}`;
}

/** A limit by address is one for all addresses. */
const cureOf = ({ command, apiKey }: ExplainedRefusal): string =>
  apiKey || !command.startsWith('appctl settings') ? command : `${command} (for every address)`;

export const limitChecks: readonly Check[] = [
  {
    id: 'license.rate-limits',
    title: 'requests refused by rate limits',
    alert: 'installation',
    run: onSchema(checkRefusals),
  },
];
