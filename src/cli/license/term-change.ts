import { systemClock } from '#kernel/clock.ts';
import { failed } from '../batch.ts';
import type { ChangeOptions, Desk } from '../desk/desk.ts';
import type { Confirmation } from '../frame/confirm.ts';
import type { Cli } from '../frame/context.ts';
import { humanTime } from '../frame/times.ts';
import { licenseOf } from './twin.ts';

/** The end of a license before and after a change; null = without an end. */
interface TermChange {
  id: string;
  before: string | null;
  after: string | null;
}

/** Makes the change, as the options say. */
type TermWork = (id: string, options: ChangeOptions) => Promise<{ validUntil: string | null }>;

/**
 * Asks before licenses end earlier than they do now: a customer paid for that time. What only moves forward is not
 * asked about. The question says before and after, and how to take it back.
 *
 * @param work rehearsed for each license, so that the question names the very end that it will get
 * @throws CliError 10 when it is declined or --yes is missing; what the work throws for a single license
 */
export async function confirmShortening(
  cli: Cli,
  desk: Desk,
  ids: readonly string[],
  work: TermWork,
): Promise<void> {
  if (cli.dryRun) return;
  const changes: TermChange[] = [];
  for (const id of ids) {
    const change = await plannedChange(cli, desk, id, work, ids.length === 1);
    if (change !== null && isShorter(change)) changes.push(change);
  }
  const [first] = changes;
  if (first === undefined) return;
  await cli.confirm(ids.length === 1 ? oneEnds(first) : severalEnd(changes, ids.length), 'moderate');
}

const oneEnds = (change: TermChange): Confirmation => {
  const undo =
    change.before === null
      ? `appctl license update ${change.id} --clear valid-until`
      : `appctl license renew ${change.id} --until ${change.before}`;
  return { action: `end license ${change.id} earlier`, more: [termText(change), `To undo: ${undo}`] };
};

const MOST_NAMED = 5;

function severalEnd(changes: readonly TermChange[], total: number): Confirmation {
  const named = changes.slice(0, MOST_NAMED).map((one) => `${one.id}: ${termText(one)}`);
  const left = changes.length - named.length;
  return {
    action: `end ${changes.length} of ${total} licenses earlier`,
    more: [
      ...named,
      ...(left > 0 ? [`and ${left} more`] : []),
      'To undo: appctl license update ID --valid-until TIME',
      'To undo one that never expired: appctl license update ID --clear valid-until',
    ],
  };
}

/** A refusal of one among several is its result, which the batch reports later. */
async function plannedChange(
  cli: Cli,
  desk: Desk,
  id: string,
  work: TermWork,
  isSingle: boolean,
): Promise<TermChange | null> {
  try {
    const { validUntil: before } = await licenseOf(desk, id);
    const { validUntil: after } = await work(id, { rehearse: true });
    return { id, before, after };
  } catch (error) {
    if (isSingle) throw error;
    failed(cli, 0, error);
    return null;
  }
}

const isShorter = ({ before, after }: TermChange): boolean =>
  after !== null && (before === null || after < before);

/** `valid with no end date now, then until 2027-01-31 23:59 +01:00 (in 2 months)`. */
const termText = ({ before, after }: TermChange): string =>
  `valid ${endText(before)} now, then ${endText(after)}`;

/** An end for a person: `until 2027-01-31 23:59 +01:00 (in 2 months)`. */
export const endText = (validUntil: string | null): string =>
  validUntil === null ? 'with no end date' : `until ${humanTime(validUntil, systemClock.epochMs())}`;
