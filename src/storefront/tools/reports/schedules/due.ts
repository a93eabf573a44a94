import { dayIn, hourOfDay } from '#storefront/contract/local-day.ts';
import { addDays, type DayRange, daysOfPeriod, mondayOf } from '../daily/ranges.ts';

/** How often a report is sent: each day, on Mondays, or on the first of each month; about the one before. */
export const EVERY = ['day', 'week', 'month'] as const;
export type Every = (typeof EVERY)[number];

const isSendDay = (every: Every, day: string): boolean => {
  if (every === 'day') return true;
  return every === 'week' ? mondayOf(day) === day : day.endsWith('-01');
};

/** When a report is sent next. @param after ISO time */
export function nextDue(every: Every, hour: number, zone: string, after: string): string {
  for (let day = dayIn(after, zone); ; day = addDays(day, 1)) {
    if (!isSendDay(every, day)) continue;
    const at = hourOfDay(day, hour, zone);
    if (at > after) return at;
  }
}

/** The last day, week or month that was over at a moment: what is sent then. */
export function daysBefore(every: Every, at: string, zone: string): DayRange {
  const day = dayIn(at, zone);
  if (every === 'day') return daysOfPeriod(addDays(day, -1), 'day');
  if (every === 'week') return daysOfPeriod(addDays(mondayOf(day), -7), 'week');
  return daysOfPeriod(addDays(`${day.slice(0, 7)}-01`, -1).slice(0, 7), 'month');
}
