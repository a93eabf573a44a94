// The numbers that were promised, against those that were measured.
import type { DatabaseKind } from './options.ts';
import type { ProgramFigures } from './program.ts';
import type { Results } from './rounds.ts';
import type { TargetName } from './targets.ts';

export interface Verdict {
  what: string;
  asked: string;
  measured: string;
  /** null where nothing was promised. */
  ok: boolean | null;
}

/** Least values of ratios by database; a database without an entry was promised nothing. */
const least = {
  // On Postgres the bare server asks twice and ours once.
  ofLimit: { sqlite: 0.72, postgres: 1.25 },
  manyOfFew: { sqlite: 0.85 },
  validateOverNaive: { sqlite: 5, postgres: 3 },
  activateOverNaive: { sqlite: 5, postgres: 2 },
  updateCheckOfValidate: { sqlite: 0.4, postgres: 0.4 },
  writesOfReadLimit: { sqlite: 0.4 },
} as const satisfies Record<string, Partial<Record<DatabaseKind, number>>>;

const MAX_P99_MS = 10;

const percent: Show = (value) => `${(value * 100).toFixed(0)} %`;
const times: Show = (value) => `${value.toFixed(2)} times`;
const milliseconds: Show = (ms) => `${ms.toFixed(1)} ms`;
const wholeMilliseconds: Show = (ms) => `${ms.toFixed(0)} ms`;
const megabytes: Show = (mb) => `${mb.toFixed(0)} MB`;

/** What a database's results say about the promises; a row whose targets were not measured is left out. */
export function judge(kind: DatabaseKind, results: Results): Verdict[] {
  return [...judgeReads(kind, results), ...judgeWrites(kind, results)].filter((verdict) => verdict !== null);
}

const rateOf = (results: Results, name: TargetName) => results[name]?.median.requestsPerSecond;

function judgeReads(kind: DatabaseKind, results: Results): (Verdict | null)[] {
  const of = (name: TargetName, base: TargetName) => ratio(rateOf(results, name), rateOf(results, base));
  const p99 = results.validate?.median.p99Ms;
  return [
    atLeast('validate, of the limit (b/a)', of('validate', 'limit'), limitOf(least.ofLimit, kind), percent),
    atLeast(
      'validate over naive (b/e)',
      of('validate', 'naive-validate'),
      limitOf(least.validateOverNaive, kind),
      times,
    ),
    atLeast(
      'validate, many licenses against few',
      of('validate', 'validate-few'),
      limitOf(least.manyOfFew, kind),
      percent,
    ),
    // Postgres waits for its own disk, so the bare server's waits are the measure there.
    kind === 'sqlite'
      ? atMost('p99 of validate', p99, MAX_P99_MS, milliseconds)
      : atMost('p99 of validate, against the limit’s', p99, results.limit?.median.p99Ms, milliseconds),
    atLeast(
      'update check, of validate (i/b)',
      of('update-check', 'validate'),
      limitOf(least.updateCheckOfValidate, kind),
      percent,
    ),
  ];
}

const writes = [
  ['activate', 'activate-limit', 'activate (d)'],
  ['heartbeat', 'heartbeat-limit', 'heartbeat (g)'],
  ['record-usage', 'usage-limit', 'record-usage (h)'],
] as const satisfies readonly (readonly [TargetName, TargetName, string])[];

function judgeWrites(kind: DatabaseKind, results: Results): (Verdict | null)[] {
  const asked = limitOf(least.writesOfReadLimit, kind);
  return [
    ...writes.flatMap(([name, bare, label]) => {
      const rate = rateOf(results, name);
      return [
        atLeast(
          `${label}, of the read limit beside it`,
          ratio(rate, rateOf(results, 'read-limit')),
          asked,
          percent,
        ),
        atLeast(`${label}, of its bare group commit`, ratio(rate, rateOf(results, bare)), undefined, percent),
      ];
    }),
    atLeast(
      'activate over naive (d/f)',
      ratio(rateOf(results, 'activate'), rateOf(results, 'naive-activate')),
      limitOf(least.activateOverNaive, kind),
      times,
    ),
  ];
}

/** What was promised of the program itself. */
export function judgeProgram(figures: readonly ProgramFigures[]): Verdict[] {
  return figures.flatMap((figure) => {
    const { name } = figure;
    const isExecutable = name === 'executable';
    return [
      atMost(`${name}: version`, figure.versionMs, 120, wholeMilliseconds),
      atMost(`${name}: first answer`, figure.answeredMs, isExecutable ? 300 : 1500, wholeMilliseconds),
      atMost(`${name}: CPU until then`, figure.answeredCpuMs, undefined, wholeMilliseconds),
      atMost(`${name}: first answer, empty directory`, figure.firstAnsweredMs, 1500, wholeMilliseconds),
      atMost(`${name}: idle memory after 5 s`, figure.idleMb, isExecutable ? 130 : undefined, megabytes),
      atMost(`${name}: the same without pages of files`, figure.idleOwnMb, undefined, megabytes),
      atMost(`${name}: status`, figure.statusMs, isExecutable ? 300 : undefined, wholeMilliseconds),
      atMost(`${name}: size`, figure.sizeMb, 170, megabytes),
    ].filter((verdict) => verdict !== null);
  });
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
