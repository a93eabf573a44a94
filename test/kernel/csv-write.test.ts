import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvField, csvText } from '#kernel/records/csv-write.ts';

const SPECIAL = [
  '"',
  ',',
  '\r',
  '\n',
  '\t',
  '=',
  '+',
  '-',
  '@',
  '＝',
  '＋',
  '－',
  '＠',
  "'",
  ' ',
  'a',
  'ü',
  '😀',
];
const field = fc.oneof(
  fc.string({ unit: fc.constantFrom(...SPECIAL), maxLength: 6 }),
  fc.string({ unit: 'grapheme' }),
);

test('records are written as csv-stringify writes them, formulas escaped', () => {
  const records = fc.array(fc.array(field, { minLength: 2, maxLength: 4 }), { maxLength: 4 });
  fc.assert(
    fc.property(records, (written) => {
      const expected = stringify(written, {
        record_delimiter: '\r\n',
        quote_record_delimiter: true,
        escape_formulas: true,
      });
      expect(csvText(written)).toBe(expected);
    }),
    { numRuns: 2000 },
  );
});

test('a field is quoted where it has to be, and no spreadsheet takes it for a formula', () => {
  const record = ['a', 'b,c', 'say "no"', '=1+1', '-5', '\tx', '@x,"y"', '', 'two\r\nlines'];
  expect(csvText([record])).toBe(`a,"b,c","say ""no""",'=1+1,'-5,'\tx,"'@x,""y""",,"two\r\nlines"\r\n`);
});

test.each([
  [null, ''],
  [undefined, ''],
  [0, '0'],
  [false, 'false'],
  [{ a: ['b'] }, '{"a":["b"]}'],
])('%j as a field is %j', (value, expected) => {
  expect(csvField(value)).toBe(expected);
});
