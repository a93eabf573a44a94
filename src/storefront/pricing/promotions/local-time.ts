const formats = new Map<string, Intl.DateTimeFormat>();
/** A shop has one zone; a test several. */
const MOST_KEPT = 20;

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      weekday: 'short',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
    if (formats.size >= MOST_KEPT) formats.clear();
    formats.set(zone, format);
  }
  return format;
}

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/**
 * The day of the week, 1 for Monday, and the time of day in a zone.
 *
 * @param at ISO time
 * @param zone IANA name
 */
export function dayAndTime(at: string, zone: string): { readonly day: number; readonly time: string } {
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(Date.parse(at))
      .map(({ type, value }) => [type, value]),
  );
  return { day: DAYS.indexOf(parts.weekday ?? '') + 1, time: `${parts.hour}:${parts.minute}` };
}
