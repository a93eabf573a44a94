import { isOwnLabel, OWN_LABELS } from './names.ts';

/** How many backups are kept: the newest of each of so many days, weeks and months. */
export interface KeepRule {
  readonly daily: number;
  readonly weekly: number;
  readonly monthly: number;
}

/** What the rule looks at. */
export interface Keepable {
  readonly file: string;
  /** ISO. */
  readonly createdAt: string;
  readonly label: string | null;
  /** It can be relied on. */
  readonly verified: boolean;
}

/** Of those that the program makes before it changes something. */
const OWN_KEPT = 3;

/**
 * Which backups may go. Those that somebody labeled stay, the newest verified one stays, and so does what is not
 * verified and newer than that.
 *
 * @param timeZone in which days begin
 * @returns files, the oldest first
 */
export function superfluous(backups: readonly Keepable[], rule: KeepRule, timeZone: string): string[] {
  const newestFirst = [...backups].sort((one, other) => (one.createdAt < other.createdAt ? 1 : -1));
  const verified = newestFirst.filter((one) => one.verified);
  const [newest] = verified;
  if (!newest) return [];
  const kept = new Set<string>([newest.file]);
  const plain = verified.filter(({ label }) => label === null);
  const dayOf = dayIn(timeZone);
  keepNewestOf(plain, rule.daily, dayOf, kept);
  keepNewestOf(plain, rule.weekly, (at) => weekOf(dayOf(at)), kept);
  keepNewestOf(plain, rule.monthly, (at) => dayOf(at).slice(0, 7), kept);
  for (const own of OWN_LABELS)
    for (const { file } of verified.filter(({ label }) => label === own).slice(0, OWN_KEPT)) kept.add(file);
  return newestFirst
    .filter(({ file, label, verified, createdAt }) => {
      if (kept.has(file)) return false;
      if (!verified) return createdAt < newest.createdAt;
      return label === null || isOwnLabel(label);
    })
    .map(({ file }) => file)
    .reverse();
}

function keepNewestOf(
  newestFirst: readonly Keepable[],
  periods: number,
  periodOf: (at: string) => string,
  kept: Set<string>,
): void {
  const seen = new Set<string>();
  for (const { file, createdAt } of newestFirst) {
    const period = periodOf(createdAt);
    if (seen.has(period)) continue;
    if (seen.size >= periods) return;
    seen.add(period);
    kept.add(file);
  }
}

/** `2026-05-01` as the calendars of a zone show it. */
function dayIn(timeZone: string): (at: string) => string {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  return (at) => format.format(new Date(at));
}

/** The Monday of a day. */
function weekOf(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  return date.toISOString().slice(0, 10);
}
