import { styleText } from 'node:util';
import { localClock } from './local-time.ts';
import { visibleLine, visibleLines } from './visible-text.ts';

type Style = Parameters<typeof styleText>[0];

const levelStyles: Readonly<Record<string, Style>> = {
  trace: 'gray',
  debug: 'gray',
  info: 'green',
  warn: 'yellow',
  error: 'red',
  fatal: ['bold', 'red'],
};

/**
 * One log record for a person at a terminal: local time and zone, level, message, fields; the stack of an error follows.
 *
 * @param line a JSON record as the log writes it; a text that is none comes back with what a terminal would obey
 *   escaped
 */
export function prettyLine(line: string, color: boolean): string {
  const record = parse(line);
  if (record === null) return visibleLines(line);
  const paint = (style: Style, text: string) =>
    color ? styleText(style, text, { validateStream: false }) : text;
  const { time, level, msg, err, ...fields } = record;
  const clock = paint('dim', localTime(String(time)));
  const label = paint(levelStyles[String(level)] ?? 'white', String(level).toUpperCase().padEnd(5));
  const rest = Object.entries(fields)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([key, value]) => `${paint('dim', `${visibleLine(key)}=`)}${visibleLine(fieldText(value))}`);
  const words = [clock, label, visibleLine(String(msg ?? '')), ...rest].filter((word) => word !== '');
  return `${words.join(' ')}\n${errorText(err)}`;
}

function parse(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function localTime(iso: string): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return iso;
  return localClock(time);
}

function fieldText(value: unknown): string {
  if (typeof value === 'string' && /^[^\s"=]+$/.test(value)) return value;
  return JSON.stringify(value);
}

function errorText(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  const { stack, message } = error as { stack?: string; message?: string };
  return `${visibleLines(stack ?? message ?? JSON.stringify(error)).replaceAll(/^/gm, '    ')}\n`;
}
