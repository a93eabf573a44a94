import { systemClock } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { rehearse } from '#kernel/rehearse.ts';
import * as licenses from '#licensing/licenses/index.ts';
import { failed } from '../batch.ts';
import type { Cli } from '../frame/context.ts';
import { humanTime } from '../frame/times.ts';

/** The end of a license before and after a change; null = without an end. */
interface TermChange {
  id: string;
  before: string | null;
  after: string | null;
}

/** Makes the change, in the transaction that it is given. */
type TermWork = (ctx: Ctx, id: string) => Promise<{ validUntil: string | null }>;

/**
 * Asks before licenses end earlier than they do now: a customer paid for that time. What only moves forward is not
 * asked about. The question says before and after, and how to take it back.
 *
 * @param work rehearsed for each license, so that the question names the very end that it will get
 * @throws CliError 10 when it is declined or --yes is missing; what the work throws for a single license
 */
export async function confirmShortening(
  cli: Cli,
  ctx: Ctx,
  ids: readonly string[],
  work: TermWork,
): Promise<void> {
  if (cli.dryRun) return;
  const changes: TermChange[] = [];
  for (const id of ids) {
    const change = await plannedChange(ctx, id, work, ids.length === 1);
    if (change !== null && isShorter(change)) changes.push(change);
  }
  const [first] = changes;
  if (first === undefined) return;
  const action = ids.length === 1 ? oneEnds(first) : severalEnd(changes, ids.length);
  await cli.confirm({ action }, 'moderate');
}

const oneEnds = (change: TermChange): string => {
  const undo =
    change.before === null
      ? `appctl license update ${change.id} --clear valid-until`
      : `appctl license renew ${change.id} --until ${change.before}`;
  return `end license ${change.id} earlier: ${termText(change)} (to undo: ${undo})`;
};

const MOST_NAMED = 5;

function severalEnd(changes: readonly TermChange[], total: number): string {
  const named = changes.slice(0, MOST_NAMED).map((one) => `${one.id} ${termText(one)}`);
  const more = changes.length > MOST_NAMED ? `; and ${changes.length - MOST_NAMED} more` : '';
  const undo =
    'to undo: appctl license update ID --valid-until TIME, or --clear valid-until for one without an end';
  return `end ${changes.length} of ${total} licenses earlier: ${named.join('; ')}${more} (${undo})`;
}

/** A refusal of one among several is its result, which the batch reports later. */
async function plannedChange(
  ctx: Ctx,
  id: string,
  work: TermWork,
  isSingle: boolean,
): Promise<TermChange | null> {
  try {
    const { validUntil: before } = await licenses.get(ctx, id);
    const { validUntil: after } = await rehearse(ctx, (ctx) => work(ctx, id));
    return { id, before, after };
  } catch (error) {
    if (isSingle) throw error;
    failed(0, error);
    return null;
  }
}

const isShorter = ({ before, after }: TermChange): boolean =>
  after !== null && (before === null || after < before);

/** `valid without an end now, then until 2027-01-31 23:59 +01:00 (in 2 months)`. */
const termText = ({ before, after }: TermChange): string =>
  `valid ${endText(before)} now, then ${endText(after)}`;

/** An end for a person: `until 2027-01-31 23:59 +01:00 (in 2 months)`. */
export const endText = (validUntil: string | null): string =>
  validUntil === null ? 'without an end' : `until ${humanTime(validUntil, systemClock.epochMs())}`;
