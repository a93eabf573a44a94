// After a run of the suite: a table of the specification's rows and how many tests are named after each.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';
import { nameOf, type SpecRow, specRows } from '../spec/rows.ts';

const folder = join(import.meta.dirname, '../spec');

/** Speaks only when all tests of test/spec ran on both databases, which is what a whole run does. */
export class SpecReporter implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    const all = readdirSync(folder).filter((name) => name.endsWith('.db.test.ts'));
    const files = modules.filter((module) => module.moduleId.startsWith(`${folder}/`));
    if (files.length < 2 * all.length || all.length === 0) return;
    const passed = files
      .flatMap((module) => [...module.children.allTests('passed')])
      .map((test) => test.fullName);
    const counts = specRows.map((row) => ({
      row,
      tests: passed.filter((name) => isAbout(name, row)).length,
    }));
    process.stdout.write(`\n${table(counts)}\n`);
    const missing = counts.filter(({ tests }) => tests === 0);
    if (missing.length > 0) process.exitCode = 1;
  }
}

/** Whether a test is named after a row; one whose name only begins like it belongs to the longer one. */
export const isAbout = (name: string, row: SpecRow): boolean =>
  mentions(name, row) &&
  !specRows.some(
    (other) =>
      other.row.length > row.row.length && nameOf(other).startsWith(nameOf(row)) && mentions(name, other),
  );

/** A row's name may be the beginning of another's: what follows it must not be a word. */
function mentions(name: string, row: SpecRow): boolean {
  const at = name.indexOf(nameOf(row));
  return at >= 0 && !/^[\w/{-]/.test(name.slice(at + nameOf(row).length));
}

function table(counts: readonly { row: SpecRow; tests: number }[]): string {
  const widest = (column: 'table' | 'row') => Math.max(...counts.map(({ row }) => row[column].length));
  const [tableWidth, rowWidth] = [widest('table'), widest('row')];
  const lines = counts.map(({ row, tests }) => {
    const state = tests > 0 ? `${tests} passed` : 'MISSING';
    return `  ${row.table.padEnd(tableWidth)} ${row.row.padEnd(rowWidth)} ${state}`;
  });
  const missing = counts.filter(({ tests }) => tests === 0).length;
  return [
    'Rows of the license specification and the tests named after them:',
    ...lines,
    `${counts.length} rows, ${missing} missing`,
  ].join('\n');
}
