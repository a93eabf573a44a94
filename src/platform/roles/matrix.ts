import type { Matrix, MatrixChoice } from '../admin/index.ts';
import { areaOf, labelOf, PARTS, type Permission, permissionsIn } from '../permissions/index.ts';

/** What most areas have; the rest stands in the last column with its own word. */
const COLUMNS = ['read', 'write'];

const wordOf = (permission: Permission): string => permission.slice(permission.indexOf(':') + 1);

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function rowOf(area: string, all: readonly Permission[]): Matrix['groups'][number]['rows'][number] {
  const own = all.filter((one) => areaOf(one) === area);
  const choice = (value: Permission, word: string): MatrixChoice => ({ value, word, about: labelOf(value) });
  return {
    label: capital(area),
    cells: [
      ...COLUMNS.map((column) => own.filter((one) => wordOf(one) === column).map((one) => choice(one, ''))),
      own.filter((one) => !COLUMNS.includes(wordOf(one))).map((one) => choice(one, wordOf(one))),
    ],
  };
}

/** Every permission by its area: what sees, what changes, and what is dangerous or special (admin.md 6.1). */
export const permissionMatrix: Matrix = {
  of: 'Area',
  columns: ['View', 'Manage', 'Special'],
  groups: PARTS.map((part) => {
    const all = permissionsIn(part);
    return { label: capital(part), rows: [...new Set(all.map(areaOf))].map((area) => rowOf(area, all)) };
  }),
};
