// How a stream lies in a place: `stream/logs` says which logs there are, `stream/bases` from which states a restore may
// begin, and `stream/data/LOG/DAY` has the segments of a day, so that a restore lists the days it needs.
import { isoTime, SECONDS_PER_DAY } from '#kernel/clock.ts';

export const LOGS = 'stream/logs/';
export const BASES = 'stream/bases/';

const LOG_ID = /^\d{8}T\d{6}Z-[0-9a-f]{8}$/;
const SEGMENT = /^(\d{10})-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z-(end|part)$/;
const NUMBER_LENGTH = 10;

/** One piece of what was committed, in a file of its own. */
export interface SegmentName {
  /** Counts from 1 within a log. */
  readonly number: number;
  /** ISO. Everything in it was committed by then, and all of the segments before it. */
  readonly at: string;
  /** A transaction ends with it; the ones that it is a part of end with a later segment. */
  readonly endsTransaction: boolean;
}

export const isLogId = (text: string): boolean => LOG_ID.test(text);
export const logName = (log: string): string => `${LOGS}${log}.json`;
export const baseName = (log: string, number: number): string => `${BASES}${log}-${padded(number)}.json`;
export const baseDataName = (log: string, number: number): string =>
  `stream/data/${log}/base-${padded(number)}`;
export const dayFolder = (log: string, day: string): string => `stream/data/${log}/${day}/`;
export const segmentName = (log: string, segment: SegmentName): string =>
  `${dayFolder(log, segment.at.slice(0, 10))}${segmentFile(segment)}`;

/** `0000000012-20270131T100000123Z-end` */
export const segmentFile = ({ number, at, endsTransaction }: SegmentName): string =>
  `${padded(number)}-${at.replaceAll(/[-:.]/g, '')}-${endsTransaction ? 'end' : 'part'}`;

/** @returns null for a name that is none of a segment */
export function segmentOf(file: string): SegmentName | null {
  const found = SEGMENT.exec(file);
  if (!found) return null;
  const [, number, year, month, day, hour, minute, second, ms, end] = found;
  return {
    number: Number(number),
    at: `${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`,
    endsTransaction: end === 'end',
  };
}

/** Days from one moment to another, both included: `2027-01-31`. */
export function daysBetween(from: string, to: string): string[] {
  const days: string[] = [];
  const last = to.slice(0, 10);
  for (let at = Date.parse(from.slice(0, 10)); ; at += SECONDS_PER_DAY * 1000) {
    const day = isoTime(at).slice(0, 10);
    if (day > last) return days;
    days.push(day);
  }
}

const padded = (number: number): string => String(number).padStart(NUMBER_LENGTH, '0');
