// Prints tables: aligned for a terminal, or Markdown for FIGURES.md.
import type { Verdict } from './ratios.ts';
import type { Results } from './rounds.ts';

const headings = [
  'Server',
  'requests/s',
  'p50 ms',
  'p99 ms',
  'CPU',
  'CPU µs/request',
  'RSS',
  'client CPU',
  'wrong',
];

/** Figures of every target: medians over the rounds. */
export function figuresTable(results: Results, markdown: boolean): string {
  const rows = Object.values(results).map(({ label, median }) => [
    label,
    Math.round(median.requestsPerSecond).toLocaleString('en'),
    median.p50Ms.toFixed(1),
    median.p99Ms.toFixed(1),
    `${median.cpuPercent.toFixed(0)} %`,
    ((median.cpuPercent * 10_000) / median.requestsPerSecond).toFixed(0),
    `${median.residentMb.toFixed(0)} MB`,
    `${median.clientCpuPercent.toFixed(0)} %`,
    median.wrong.toLocaleString('en'),
  ]);
  return table([headings, ...rows], markdown);
}

/** Promises and whether they hold. */
export function verdictsTable(verdicts: readonly Verdict[], markdown: boolean): string {
  const rows = verdicts.map(({ what, asked, measured, ok }) => [
    what,
    asked,
    measured,
    ok === null ? '' : ok ? 'yes' : 'NO',
  ]);
  return table([['Figure', 'asked', 'measured', 'holds'], ...rows], markdown);
}

function table(rows: readonly (readonly string[])[], markdown: boolean): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => [...(row[column] ?? '')].length)),
  );
  const padded = rows.map((row) =>
    row.map((cell, column) => {
      const width = widths[column] ?? 0;
      return column === 0 ? cell.padEnd(width) : cell.padStart(width);
    }),
  );
  if (!markdown) return padded.map((row) => row.join('  ').trimEnd()).join('\n');
  const rule = widths.map((width, column) =>
    column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  );
  const [head, ...body] = padded;
  return [head ?? [], rule, ...body].map((row) => `| ${row.join(' | ')} |`).join('\n');
}
