import { refuseForm } from '#kernel/http/page.ts';

/** The field beside a day that holds its time, which may stay empty. */
export const timeName = (name: string): string => `${name}.time`;

/** What ends, by the names of its fields: there a day without a time counts to its end, and elsewhere from its beginning. */
const ENDS = /(?:until|expires(?:at)?|^ends(?:at)?|^to)$/i;

/** What a form says of a day without a time. */
export const dayHint = (name: string): string =>
  ENDS.test(name)
    ? 'Without a time, the end of that day in UTC.'
    : 'Without a time, the start of that day in UTC.';

/**
 * A moment out of the two inputs of a form.
 *
 * @param day also with its time, as one input sends both
 * @param shown what the form showed first: with its day cleared, the time that is left over means nothing
 * @returns `2026-05-01T14:03`, or `2026-05-01` without a time
 * @throws FormRefusal for a time without a day
 */
export function momentText(day: string, time: string, shown = ''): string {
  if (day === '' && time !== '' && !shown.endsWith(time)) throw refuseForm('needs a day as well as the time');
  return /^\d{4}-\d\d-\d\d$/.test(day) && time !== '' ? `${day}T${time}` : day;
}

/**
 * `2026-05-01T14:03` of a browser, and `2026-05-01` alone, as a point in time: the field says that it is UTC.
 *
 * @param name of the field: what ends takes the last moment of a day
 * @returns ISO 8601; what is neither as it is, for the schema to refuse
 */
export function utcOf(name: string, text: string): string {
  if (/^\d{4}-\d\d-\d\d$/.test(text))
    return ENDS.test(name) ? `${text}T23:59:59.999Z` : `${text}T00:00:00.000Z`;
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?$/.test(text)
    ? `${text.length === 16 ? `${text}:00` : text}Z`
    : text;
}
