// The numbers that were promised, against those that were measured.
import type { DatabaseKind } from './options.ts';
import type { ProgramFigures } from './program.ts';
import type { Results } from './rounds.ts';

export interface Verdict {
  what: string;
  asked: string;
  measured: string;
  /** null where nothing was promised. */
  ok: boolean | null;
}

/** Least values of ratios by database; a database without an entry was promised nothing. */
const least = {
  ofLimit: { sqlite: 0.6 },
  validateOverNaive: { sqlite: 5, postgres: 3 },
  activateOverNaive: { sqlite: 5, postgres: 2 },
  updateCheckOfValidate: { sqlite: 0.4, postgres: 0.4 },
  writes: { sqlite: 5000 },
} as const satisfies Record<string, Partial<Record<DatabaseKind, number>>>;

const MAX_P99_MS = 15;
const MAX_SPREAD = 0.15;

/** What a database's results say about the promises; a row whose targets were not measured is left out. */
export function judge(kind: DatabaseKind, results: Results): Verdict[] {
  const rate = (name: keyof Results) => results[name]?.median.requestsPerSecond;
  const [limit, validate, few] = [rate('limit'), rate('validate'), rate('validate-few')];
  const activate = rate('activate');
  const percent = (value: number) => `${(value * 100).toFixed(0)} %`;
  const times = (value: number) => `${value.toFixed(2)} times`;
  const perSecond = (value: number) => `${Math.round(value).toLocaleString('en')}/s`;
  return [
    atLeast('validate, of the limit (b/a)', ratio(validate, limit), limitOf(least.ofLimit, kind), percent),
    atLeast(
      'validate over naive (b/e)',
      ratio(validate, rate('naive-validate')),
      limitOf(least.validateOverNaive, kind),
      times,
    ),
    spread(ratio(validate, few), kind, percent),
    atMost(
      'p99 of validate',
      results.validate?.median.p99Ms,
      kind === 'sqlite' ? MAX_P99_MS : undefined,
      (ms) => `${ms.toFixed(1)} ms`,
    ),
    atLeast(
      'update check, of validate (i/b)',
      ratio(rate('update-check'), validate),
      limitOf(least.updateCheckOfValidate, kind),
      percent,
    ),
    atLeast('activations acknowledged (d)', activate, limitOf(least.writes, kind), perSecond),
    atLeast(
      'activate over naive (d/f)',
      ratio(activate, rate('naive-activate')),
      limitOf(least.activateOverNaive, kind),
      times,
    ),
    atLeast('heartbeats acknowledged (g)', rate('heartbeat'), limitOf(least.writes, kind), perSecond),
    atLeast('usage records acknowledged (h)', rate('record-usage'), limitOf(least.writes, kind), perSecond),
  ].filter((verdict) => verdict !== null);
}

/** What was promised of the program itself. */
export function judgeProgram(figures: readonly ProgramFigures[]): Verdict[] {
  return figures.flatMap(({ name, versionMs, listeningMs, firstListeningMs, idleMb, idleOwnMb, sizeMb }) =>
    [
      atMost(`${name}: version`, versionMs, 120, (ms) => `${ms.toFixed(0)} ms`),
      atMost(`${name}: serve listening`, listeningMs, 1500, (ms) => `${ms.toFixed(0)} ms`),
      atMost(`${name}: serve listening, first start`, firstListeningMs, 1500, (ms) => `${ms.toFixed(0)} ms`),
      atMost(`${name}: idle memory`, idleMb, 130, (mb) => `${mb.toFixed(0)} MB`),
      atMost(
        `${name}: idle memory without pages of files`,
        idleOwnMb,
        undefined,
        (mb) => `${mb.toFixed(0)} MB`,
      ),
      atMost(`${name}: size`, sizeMb, 160, (mb) => `${mb.toFixed(0)} MB`),
    ].filter((verdict) => verdict !== null),
  );
}

const limitOf = (limits: Partial<Record<DatabaseKind, number>>, kind: DatabaseKind): number | undefined =>
  limits[kind];

const ratio = (value: number | undefined, base: number | undefined): number | undefined =>
  value === undefined || base === undefined ? undefined : value / base;

type Show = (value: number) => string;

function atLeast(
  what: string,
  value: number | undefined,
  asked: number | undefined,
  show: Show,
): Verdict | null {
  if (value === undefined) return null;
  if (asked === undefined) return { what, asked: '–', measured: show(value), ok: null };
  return { what, asked: `≥ ${show(asked)}`, measured: show(value), ok: value >= asked };
}

function atMost(
  what: string,
  value: number | undefined,
  asked: number | undefined,
  show: Show,
): Verdict | null {
  if (value === undefined) return null;
  if (asked === undefined) return { what, asked: '–', measured: show(value), ok: null };
  return { what, asked: `≤ ${show(asked)}`, measured: show(value), ok: value <= asked };
}

/** The number of licenses may cost this much; that many are faster than few is noise and no fault. */
function spread(value: number | undefined, kind: DatabaseKind, show: Show): Verdict | null {
  if (value === undefined) return null;
  const what = 'validate, many licenses against few';
  const ok = kind === 'sqlite' ? value >= 1 - MAX_SPREAD : null;
  return { what, asked: ok === null ? '–' : `≥ ${show(1 - MAX_SPREAD)}`, measured: show(value), ok };
}
