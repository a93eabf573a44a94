// The page "Monitor the server", and that its dashboard, its rules and its table name what a server really exposes.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { filesOf, readPage, readPageFile } from '#platform/help/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { runInside as appctl } from '../support/cli-inside.ts';
import { errorOf } from '../support/cli-process.ts';
import { type MetricsText, parseMetrics } from '../support/metrics-text.ts';
import { testPage } from './run-page.ts';

testPage('monitoring', { serve: [], env: { APPCTL_METRICS: 'on' } });

let app: TestApp;
let exposed: MetricsText;
/** Labels of each metric: of those in the text, and of those that have no sample yet by the page. */
let labelsOf: Map<string, readonly string[]>;
beforeAll(async () => {
  app = await startApp({ metrics: true });
  await app.license();
  exposed = parseMetrics((await app.get('/metrics')).text);
  labelsOf = new Map(tableOf(readPage('monitoring')).map(({ name, labels }) => [name, labels]));
});
afterAll(() => app.close());

const file = (name: string): string => readPageFile('monitoring', name).toString('utf8');
const dashboard = (): Dashboard => JSON.parse(file('dashboard.json'));
const rules = (): Rule[] => parse(file('rules.yml')).groups.flatMap(({ rules }: { rules: Rule[] }) => rules);

type Target = { expr: string; legendFormat: string; datasource: { uid: string } };
type Panel = {
  id: number;
  title: string;
  description: string;
  datasource: { uid: string };
  targets: Target[];
};
type Dashboard = {
  panels: Panel[];
  templating: { list: { name: string; type: string; definition?: string }[] };
};
type Rule = { alert: string; expr: string; annotations: Record<string, string> };

/** The rows of the page's table of metrics. */
const tableOf = (page: string): { name: string; labels: string[] }[] =>
  [...page.matchAll(/^\| `(appctl_\w+)` +\| ([^|]*)\|/gm)].map(([, name = '', labels = '']) => ({
    name,
    labels: labels.trim() === '' ? [] : labels.trim().split(', '),
  }));

/** `_bucket`, `_sum` and `_count` belong to their histogram. */
const baseOf = (name: string): string => {
  const base = name.replace(/_(bucket|sum|count)$/, '');
  return exposed.types.get(base) === 'histogram' ? base : name;
};
const metricsIn = (expression: string): string[] =>
  [...expression.matchAll(/\b(?:appctl|process|nodejs)_\w+/g)].map(([name]) => baseOf(name));
/** Labels that an expression groups by or selects. */
const labelsIn = (expression: string): string[] => [
  ...[...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = '']) => names.split(', ')),
  ...[...expression.matchAll(/[{,]\s*(\w+)=~?"/g)].map(([, name]) => String(name)),
];
/** What Prometheus adds, and a histogram itself. */
const ALWAYS = ['instance', 'job', 'le'];

const expressions = (): string[] => [
  ...dashboard().panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  ...rules().map(({ expr }) => expr),
];

describe('what the dashboard and the rules ask for', () => {
  it('is exposed by a server, with the labels that they name', () => {
    for (const expression of expressions()) {
      const metrics = metricsIn(expression);
      expect([expression, metrics.filter((name) => !exposed.types.has(name))]).toEqual([expression, []]);
      expect(metrics.length).toBeGreaterThan(0);
      const known = [...ALWAYS, ...metrics.flatMap((name) => labelsOf.get(name) ?? [])];
      expect([expression, labelsIn(expression).filter((label) => !known.includes(label))]).toEqual([
        expression,
        [],
      ]);
    }
  });

  it('has its braces and parentheses closed', () => {
    for (const expression of expressions())
      for (const [open, close] of ['()', '{}', '[]'])
        expect([expression, expression.split(String(open)).length]).toEqual([
          expression,
          expression.split(String(close)).length,
        ]);
  });

  it('a legend names labels that its expression leaves', () => {
    for (const { expr, legendFormat } of dashboard().panels.flatMap(({ targets }) => targets)) {
      const named = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => String(name));
      expect([expr, named.filter((name) => !labelsIn(expr).includes(name))]).toEqual([expr, []]);
    }
  });
});

it('the dashboard asks the data source that whoever imports it chooses', () => {
  const { panels, templating } = dashboard();
  expect(templating.list.map(({ name, type }) => [name, type])).toEqual([
    ['datasource', 'datasource'],
    ['instance', 'query'],
  ]);
  const used = panels.flatMap(({ datasource, targets }) => [
    datasource,
    ...targets.map((one) => one.datasource),
  ]);
  for (const { uid } of used) expect(uid).toMatch(/^\$\{datasource\}$/);
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  for (const { title, description } of panels) expect([title, description]).not.toContain('');
});

it('the page names every metric of the program with its labels, and no other', () => {
  const own = [...exposed.types.keys()].filter((name) => name.startsWith('appctl_'));
  expect([...labelsOf.keys()].sort()).toEqual(own.sort());
  for (const { name, labels } of exposed.samples) {
    const told = labelsOf.get(baseOf(name));
    if (told)
      expect([
        name,
        Object.keys(labels)
          .filter((one) => one !== 'le')
          .sort(),
      ]).toEqual([name, [...told].sort()]);
  }
});

it('every help is a sentence of its own, without a period, and says its unit', () => {
  for (const [name, help] of exposed.helps) {
    if (!name.startsWith('appctl_')) continue;
    expect([name, help]).toEqual([name, expect.stringMatching(/^[A-Z0-9][^.]{10,120}$/)]);
    if (name.endsWith('_seconds')) expect([name, help]).toEqual([name, expect.stringMatching(/^Seconds/)]);
  }
});

describe('appctl help --file', () => {
  it.each(['dashboard.json', 'rules.yml'])('prints %s as it is', async (name) => {
    const { code, stdout } = await appctl(['help', 'monitoring', '--file', name]);
    expect([code, stdout]).toEqual([0, file(name)]);
    expect(filesOf('monitoring')).toContain(name);
  });

  it.each([
    [['monitoring', '--file', '../glossary.md'], 'its files: dashboard.json, rules.yml'],
    [['glossary', '--file', 'x'], 'appctl help glossary'],
    [['license', '--file', 'x'], 'appctl help monitoring --file dashboard.json'],
    [['--file', 'x'], 'appctl help monitoring --file dashboard.json'],
  ])('%j: 2, and what there is', async (words, hint) => {
    const run = await appctl(['help', ...words, '--json']);
    expect([run.code, errorOf(run).hint]).toEqual([2, hint]);
  });
});
