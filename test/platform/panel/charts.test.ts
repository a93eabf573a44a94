// Charts that the server draws: small, described, with their figures as a table, and safe whatever they are about.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createRenderer } from '#kernel/views/render.ts';
import { createStaticFiles } from '#kernel/views/static-files.ts';
import {
  barChart,
  type Chart,
  heatStrip,
  histogram,
  lineChart,
  meter,
  sparkline,
} from '#platform/charts/index.ts';
import { textOf } from './staff.ts';

const render = createRenderer('templates', createStaticFiles(join('templates')), {});
const htmlOf = (chart: Chart): string => render('panel/chart', { chart }, null);
const svgOf = (html: string): string => /<svg role="img"[\s\S]*?<\/svg>/.exec(html)?.[0] ?? '';

const DAY = 86_400_000;
const days = (count: number) =>
  Array.from({ length: count }, (_, at) =>
    new Date(Date.UTC(2026, 0, 1) + at * DAY).toISOString().slice(0, 10),
  );
const wave = (count: number, top: number) =>
  Array.from({ length: count }, (_, at) => Math.round(top * (1 + Math.sin(at / 3)) * 1000) / 1000);
const words = { id: 'c', title: 'Validations', unit: 'requests' };
const two = (count: number) => [
  { label: 'Allowed', values: wave(count, 98_765) },
  { label: 'Refused', values: wave(count, 1234) },
];

const charts: Record<string, Chart> = {
  'a line of 90 days with the period before': lineChart({
    ...words,
    days: days(90),
    series: [{ label: 'Allowed', values: wave(90, 98_765) }],
    previous: wave(90, 90_000),
  }),
  'two lines of 90 days': lineChart({ ...words, days: days(90), series: two(90) }),
  'three lines of 30 days': lineChart({
    ...words,
    days: days(30),
    series: [...two(30), { label: 'Third', values: wave(30, 7) }],
  }),
  'bars of 24 labels': barChart({ ...words, of: 'Version', labels: days(24), series: [two(24)[0] as never] }),
  'stacked bars of 24 months': barChart({ ...words, of: 'Month', labels: days(24), series: two(24) }),
  'a sparkline of 50': sparkline({ ...words, labels: days(50), series: two(50)[0] as never }),
  'a histogram': histogram({ ...words, values: wave(500, 80) }),
  'a heat strip of 90 days': heatStrip({ ...words, labels: days(90), series: two(90)[0] as never }),
  'a meter': meter({ ...words, used: 8, most: 10 }),
};

it.each(Object.entries(charts))('%s is at most 4 KB, described, and without styles', (_, chart) => {
  const html = htmlOf(chart);
  const svg = svgOf(html);
  expect(Buffer.byteLength(svg)).toBeLessThanOrEqual(4096);
  expect(svg).toMatch(/aria-labelledby="c-t c-d"><title id="c-t">Validations<\/title><desc id="c-d">[^<]+</);
  expect(html).not.toMatch(/ style=|<script|NaN|undefined|Infinity/);
  // Coordinates have one decimal.
  expect(svg.replaceAll(/<title>.*?<\/title>|<desc.*?<\/desc>/g, '')).not.toMatch(/\d\.\d{2}/);
  expect(textOf(/<details>[\s\S]*<\/details>/.exec(html)?.[0] ?? '')).toContain('Show data');
});

it('has every figure in its table and the period before as a dashed line of its own', () => {
  const html = htmlOf(
    lineChart({
      ...words,
      days: days(3),
      series: [{ label: 'Allowed', values: [1, null, 3000] }],
      previous: [4, 5, 6],
      csvHref: '/api/v1/admin/x?format=csv&from=1',
    }),
  );
  const rows = [...html.matchAll(/<tr>([\s\S]*?)<\/tr>/g)].map(([, row = '']) => textOf(row));
  expect(rows).toEqual([
    'Day (UTC) Allowed Previous period',
    '2026-01-01 1 4',
    '2026-01-02 – 5',
    '2026-01-03 3,000 6',
  ]);
  expect(html).toContain('class="line before"');
  expect(html).toContain('<title>2026-01-03: 3,000</title>');
  expect(html).toContain('href="/api/v1/admin/x?format=csv&amp;from=1" download');
});

it('draws nothing, one thing and nothings without a fault', () => {
  for (const values of [[], [5], [0, 0], [null, null]]) {
    const labels = days(values.length);
    const series = { label: 'x', values };
    for (const chart of [
      lineChart({ ...words, days: labels, series: [series] }),
      barChart({ ...words, of: 'Day', labels, series: [series] }),
      heatStrip({ ...words, labels, series }),
      sparkline({ ...words, labels, series }),
      histogram({ ...words, values: values.map((value) => value ?? 0) }),
    ])
      expect(htmlOf(chart)).not.toMatch(/NaN|undefined|Infinity|null/);
  }
  for (const most of [null, 0, 4])
    expect(htmlOf(meter({ ...words, used: 4, most }))).not.toMatch(/NaN|Infinity/);
});

it('escapes what it is about, and cuts long labels in the drawing alone', () => {
  const evil = '</title><script>alert(1)</script>\u202e"\'';
  const long = 'v'.repeat(200);
  const html = htmlOf(
    barChart({
      ...words,
      title: evil,
      of: evil,
      labels: [evil, long],
      series: [
        { label: evil, values: [1, 2] },
        { label: 'b', values: [3, 4] },
      ],
    }),
  );
  expect(html).not.toContain('<script');
  expect(html).toContain('&lt;/title&gt;&lt;script&gt;');
  expect(html).toContain(`<td>${long}</td>`);
  expect(html).toContain(`>${'v'.repeat(17)}…</text>`);
});

it('counts values in equal steps, the largest one among them', () => {
  const chart = histogram({ ...words, values: [0, 1, 5, 9, 10], steps: 2 });
  expect(chart.rows).toEqual([
    ['0–5', '2'],
    ['5–10', '3'],
  ]);
});

it('its figures are a file, with what a spreadsheet would take for a formula escaped', () => {
  const bars = (csvHref?: string | null) =>
    htmlOf(barChart({ ...words, csvHref, of: 'Version', labels: ['=1+1', '2.0'], series: two(2) } as never));
  const [, name = '', file = ''] =
    /<a href="data:text\/csv;charset=utf-8,([^"]*)" download="([^"]*)"/.exec(bars()) ?? [];
  expect(file).toBe('c.csv');
  const [first = 0, second = 0] = two(2)[0]?.values ?? [];
  const lines = decodeURIComponent(name.replaceAll('&#39;', "'")).split('\r\n');
  expect(lines).toHaveLength(4);
  expect(lines[0]).toBe('Version,Allowed,Refused');
  expect(lines[1]).toMatch(new RegExp(`^'=1\\+1,${first},`));
  expect(lines[2]).toMatch(new RegExp(`^2\\.0,${second},`));
  expect(bars('/file.csv')).toContain('<a href="/file.csv" download');
  expect(bars(null)).not.toContain('download');
});
