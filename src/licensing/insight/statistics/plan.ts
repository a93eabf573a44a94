import type { Ctx } from '#kernel/context.ts';
import { clientNetwork } from '#kernel/http/client-address.ts';
import { timeOf } from './day-time.ts';
import type { Churn, Day, Denials } from './daybook.ts';
import type { ObservationKind } from './record.ts';
import * as repo from './repository.ts';
import { listSeen, type Seen, type Sightings } from './sightings.ts';

type Observation = Pick<repo.Observation, 'kind' | 'value' | 'count' | 'firstAt' | 'lastAt'>;

/** Rows of a day that one transaction writes; what is seen meanwhile is of the next plan. */
export interface Plan {
  readonly licenseId: string;
  readonly day: string;
  readonly stats: Omit<Parameters<typeof repo.addStats>[1], 'licenseId' | 'day'> | null;
  /** In one order in all processes, which would else wait for each other in a circle. */
  readonly observations: readonly Observation[];
  readonly denials: readonly (Pick<Observation, 'count' | 'firstAt' | 'lastAt'> & { code: string })[];
  readonly churn: Readonly<Churn> | null;
  /** Notes in memory that it is written. */
  done(): void;
}

/**
 * What the database does not know of a day; null for nothing.
 *
 * @param whole also how often things were seen again, and the counters: once, when the day is over
 */
export function planOf(ctx: Ctx, day: Day, whole: boolean): Plan | null {
  const noted: (() => void)[] = [];
  const isDue = ({ count, written }: Seen): boolean => count > written && (whole || written === 0);
  const rowsOf = (kind: ObservationKind, sightings: Sightings, digested: (name: string) => string) =>
    listSeen(sightings)
      .filter(isDue)
      .map((seen): Observation => ({ kind, value: digested(seen.name), ...newsOf(day, seen, noted) }));
  const denied = [...(day.rare?.denied.values() ?? [])];
  const digest = (text: string): string => ctx.keyring.digest('lookup', text).slice(0, repo.DIGEST_LENGTH);
  const machine = (id: string): string => digest(`machine:${id}`);
  const network = (ip: string): string => digest(`network:${clientNetwork(ip)}`);
  const observations = [
    ...byValue(rowsOf('IP_NET', day.addresses, network)),
    ...rowsOf('MACHINE_TRIED', day.machines, machine),
    ...denied.flatMap(({ name, machines }) =>
      rowsOf('MACHINE_DENIED', machines, (id) => repo.deniedValue(name, machine(id))),
    ),
    ...minutesOf(day, machine, noted),
  ].sort(byName);
  const denials = denied.filter((one) => isDue(one) || isReported(one));
  const plan = {
    licenseId: day.licenseId,
    day: day.day,
    stats: whole ? statsOf(day, noted) : null,
    observations,
    denials: denials.map((one) => ({ code: one.name, ...newsOf(day, one, noted) })),
    churn: churnOf(day, noted),
    done: () => {
      for (const note of noted) note();
    },
  };
  return noted.length > 0 ? plan : null;
}

/** Who refuses machines for want of a seat is told at once how often (6.10). */
const isReported = ({ name, count, written }: Denials): boolean => name === repo.EXHAUSTED && count > written;

const byName = (a: Observation, b: Observation): number =>
  `${a.kind} ${a.value}` < `${b.kind} ${b.value}` ? -1 : 1;

function newsOf(day: Day, seen: Seen, noted: (() => void)[]): Omit<Observation, 'kind' | 'value'> {
  const { count, written, firstMs, lastMs } = seen;
  noted.push(() => {
    seen.written = count;
  });
  const [firstAt, lastAt] = [timeOf(day.day, firstMs), timeOf(day.day, lastMs)];
  return { count: count - written, firstAt, lastAt };
}

/** What rules count by the minute. */
function minutesOf(day: Day, machine: (id: string) => string, noted: (() => void)[]): Observation[] {
  const rows = (kind: ObservationKind, sightings: Sightings, value: (name: string) => string) =>
    listSeen(sightings)
      .filter(({ count, written }) => count > written)
      .map((seen): Observation => ({ kind, value: value(seen.name), ...newsOf(day, seen, noted) }));
  return [
    ...rows('LIMIT', day.rare?.exhausted ?? null, (minute) => minute),
    ...rows(
      'BEAT_IP',
      day.rare?.alternations ?? null,
      (name) => `${machine(name.slice(6))}.${name.slice(0, 5)}`,
    ),
  ];
}

/** Several addresses of one network are one row, and a statement must not write a row twice at once. */
function byValue(observations: readonly Observation[]): Observation[] {
  const rows = new Map<string, Observation>();
  for (const one of observations) {
    const row = rows.get(one.value);
    if (!row) rows.set(one.value, { ...one });
    else {
      row.count += one.count;
      if (one.firstAt < row.firstAt) row.firstAt = one.firstAt;
      if (one.lastAt > row.lastAt) row.lastAt = one.lastAt;
    }
  }
  return [...rows.values()];
}

function statsOf(day: Day, noted: (() => void)[]): Plan['stats'] {
  const { validations, denials, heartbeats, lastValidatedMs } = day;
  if (validations + denials + heartbeats === 0) return null;
  noted.push(() => {
    day.validations -= validations;
    day.denials -= denials;
    day.heartbeats -= heartbeats;
  });
  const lastValidatedAt = lastValidatedMs < 0 ? null : timeOf(day.day, lastValidatedMs);
  return { validations, denials, heartbeats, lastValidatedAt };
}

function churnOf({ rare }: Day, noted: (() => void)[]): Churn | null {
  const churn = rare?.churn;
  if (!churn || churn.unpaired + churn.pairs + churn.waiting === 0) return null;
  const now = { ...churn };
  noted.push(() => {
    churn.unpaired -= now.unpaired;
    churn.pairs -= now.pairs;
    churn.waiting -= now.waiting;
  });
  return now;
}
