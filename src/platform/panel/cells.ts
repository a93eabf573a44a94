import { z } from 'zod';
import { localMinute } from '#kernel/local-time.ts';
import { sizeText } from '#kernel/size-words.ts';
import { relativeTime } from '#kernel/time-words.ts';
import type { CellKind, Column, Tone } from '../admin/index.ts';
import { labelOf, unwrap, valueWords } from './forms/schema.ts';

/** A value as a template writes it; plain text throughout, which the template escapes. */
export interface Cell {
  readonly kind: CellKind;
  readonly text: string;
  /** What the text leaves out: the exact time of `2 hours ago`. */
  readonly title: string | null;
  /** ISO time, for programs. */
  readonly time: string | null;
  readonly href: string | null;
  readonly tone: Tone | null;
  readonly tags: readonly string[];
  /** Of a meter: percent that is used. */
  readonly part: number | null;
  /** Of a spark: its line, in a box of 80 by 20. */
  readonly path: string | null;
}

/** A column with all that its declaration leaves to the view. */
export interface ShownColumn {
  readonly name: string;
  readonly label: string;
  readonly kind: CellKind;
  readonly spec: Column<Record<string, unknown>>;
}

/**
 * Columns with labels and kinds, where they are not declared, of the fields of their names.
 *
 * @param labels of fields that their names do not give
 */
export const columnsOf = (
  columns: Readonly<Record<string, Column<Record<string, unknown>>>>,
  view: z.ZodObject,
  labels: Readonly<Record<string, string>> = {},
): readonly ShownColumn[] =>
  Object.entries(columns).map(([name, spec]) => ({
    name,
    spec,
    label: spec.label ?? labels[name] ?? labelOf(name),
    kind: spec.kind ?? kindOf(name, view.shape[name] as z.ZodType | undefined),
  }));

const CODE = /^(?:id|key|slug|hash|fingerprint|pattern|version)$|Id$|^key(?:Prefix|Masked)$|Digest$|Hash$/;

function kindOf(name: string, type: z.ZodType | undefined): CellKind {
  if (!type) return 'text';
  const { base } = unwrap(type);
  if (base instanceof z.ZodISODateTime) return 'ago';
  if (base instanceof z.ZodBoolean) return 'flag';
  if (base instanceof z.ZodNumber) return 'number';
  if (base instanceof z.ZodEnum) return /status|state|verdict/i.test(name) ? 'status' : 'text';
  if (base instanceof z.ZodArray) return unwrap(base.element).base instanceof z.ZodObject ? 'json' : 'tags';
  if (base instanceof z.ZodString) return CODE.test(name) ? 'code' : 'text';
  return 'json';
}

/** How serious the usual words of a status are. */
const TONES: Readonly<Record<string, Tone>> = {
  ACTIVE: 'ok',
  PUBLISHED: 'ok',
  DELIVERED: 'ok',
  DONE: 'ok',
  SUCCEEDED: 'ok',
  PROCESSED: 'ok',
  CLEARED: 'ok',
  ENABLED: 'ok',
  RUNNING: 'info',
  PENDING: 'info',
  NEXT: 'info',
  DRAFT: 'info',
  OPEN: 'warn',
  EXPIRED: 'warn',
  SUSPENDED: 'warn',
  DEPRECATED: 'warn',
  PAUSED: 'warn',
  SKIPPED: 'muted',
  RETIRED: 'muted',
  ARCHIVED: 'muted',
  CANCELLED: 'muted',
  DISCONTINUED: 'muted',
  REVOKED: 'bad',
  YANKED: 'bad',
  FAILED: 'bad',
  DISABLED: 'bad',
  CONFIRMED: 'bad',
};

/** @param nowIso from which `2 hours ago` is told */
export function cellOf(
  { name, kind, spec }: ShownColumn,
  view: Record<string, unknown>,
  nowIso: string,
): Cell {
  const value = spec.value ? spec.value(view) : view[name];
  const tone = spec.tone?.(view) ?? (kind === 'status' ? (TONES[String(value)] ?? 'muted') : null);
  return { ...written(kind, value, nowIso), kind, tone, href: spec.link?.(view) ?? null };
}

type Written = Omit<Cell, 'kind' | 'tone' | 'href'>;
const plain = (text: string): Written => ({
  text,
  title: null,
  time: null,
  tags: [],
  part: null,
  path: null,
});

function written(kind: CellKind, value: unknown, nowIso: string): Written {
  if (value === undefined || value === null || value === '') return plain('');
  switch (kind) {
    case 'ago':
    case 'date':
      return timeOf(kind, String(value), nowIso);
    case 'status':
      return plain(valueWords(String(value)));
    case 'flag':
      return plain(value ? 'Yes' : 'No');
    case 'number':
      return plain(typeof value === 'number' ? value.toLocaleString('en') : String(value));
    case 'percent':
      return plain(`${Number(value).toLocaleString('en', { maximumFractionDigits: 1 })} %`);
    case 'bytes':
      return plain(sizeText(Number(value)));
    case 'tags':
      return { ...plain((value as unknown[]).join(', ')), tags: (value as unknown[]).map(String) };
    case 'meter':
      return meterOf(value as [number, number | null]);
    case 'spark':
      return sparkOf(value as readonly number[]);
    case 'json':
      return plain(typeof value === 'string' ? value : jsonOf(value));
    default:
      return plain(String(value));
  }
}

function timeOf(kind: 'ago' | 'date', iso: string, nowIso: string): Written {
  // Words in place of a time: `never ends`.
  if (Number.isNaN(Date.parse(iso))) return plain(iso);
  const time = new Date(iso);
  const exact = localMinute(time);
  const text = kind === 'date' ? exact : relativeTime(time.getTime() - new Date(nowIso).getTime());
  return { ...plain(text), title: exact, time: iso };
}

function meterOf([used, most]: readonly [number, number | null]): Written {
  const text = most === null ? `${used} / no limit` : `${used} / ${most}`;
  const part = most === null || most === 0 ? null : Math.min(100, Math.round((used / most) * 100));
  return { ...plain(text), part };
}

const SPARK = { width: 80, height: 20, edge: 2 } as const;

/** A line of figures, with its ends in words. A single one draws nothing. */
function sparkOf(figures: readonly number[]): Written {
  if (figures.length < 2) return plain('');
  const { width, height, edge } = SPARK;
  const most = Math.max(...figures, 1);
  const points = figures.map((figure, at) => {
    const x = edge + ((width - 2 * edge) * at) / (figures.length - 1);
    const y = height - edge - ((height - 2 * edge) * figure) / most;
    return `${Math.round(x * 10) / 10},${Math.round(y * 10) / 10}`;
  });
  const told = (figure: number | undefined) => (figure ?? 0).toLocaleString('en');
  const text = `${figures.length} values, ${told(Math.min(...figures))} to ${told(Math.max(...figures))}, last ${told(figures.at(-1))}`;
  return { ...plain(text), path: `M${points.join('L')}` };
}

/** An object with nothing in it says nothing. */
const jsonOf = (value: unknown): string =>
  Object.keys(value as object).length === 0 ? '' : JSON.stringify(value, null, 2);
