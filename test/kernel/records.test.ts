import { describe, expect, test } from 'vitest';
import { openTable } from '#kernel/records/table.ts';
import { decodeUtf8 } from '#kernel/records/utf8.ts';

async function* parts(...texts: (string | Uint8Array)[]) {
  for (const text of texts) yield typeof text === 'string' ? Buffer.from(text) : text;
}

async function read(...texts: (string | Uint8Array)[]) {
  const table = await openTable(decodeUtf8(parts(...texts)));
  const rows: unknown[] = [];
  for await (const row of table.rows) {
    rows.push('fault' in row ? [row.line, row.fault] : [row.line, Object.fromEntries(row.values)]);
  }
  return { columns: table.columns, rows };
}

describe('CSV', () => {
  test.each([
    ['commas', 'a,b\n1,2\n'],
    ['semicolons and a comma in a name', 'a;"b,c"\n1;2\n'],
    ['tabs', 'a\tb\r\n1\t2'],
    ['a byte order mark', '\uFEFFa,b\n1,2\n'],
    ['empty lines before the header', '\n\r\na,b\n1,2\n'],
    ['a nameless last column', 'a,b,\n1,2,\n'],
  ])('with %s is a header and rows', async (_what, text) => {
    const { rows } = await read(text);
    expect(Object.values((rows[0] as [number, object])[1])).toEqual(['1', '2']);
  });

  test('rows know the line that they begin on, also behind quoted line feeds and empty lines', async () => {
    const text = 'a,b\r\n1,"x\r\ny"\r\n\r\n\r\n2,"ü\n"\n3,4\n5\n6,7,8\n9,O"Brien';
    const expected = [
      [2, { a: '1', b: 'x\r\ny' }],
      [6, { a: '2', b: 'ü\n' }],
      [8, { a: '3', b: '4' }],
      [9, 'has 1 cells, the header has 2'],
      [10, 'has 3 cells, the header has 2'],
      [11, { a: '9', b: 'O"Brien' }],
    ];
    expect((await read(text)).rows).toEqual(expected);
    const bytes = Buffer.from(text);
    const single = Array.from({ length: bytes.length }, (_, at) => bytes.subarray(at, at + 1));
    expect((await read(...single)).rows).toEqual(expected);
  });

  test('a quote that never closes ends the file with a fault, after the rows before it', async () => {
    const table = await openTable(decodeUtf8(parts('a,b\n1,2\n3,"4\n5,6\n')));
    const seen: number[] = [];
    const reading = async () => {
      for await (const { line } of table.rows) seen.push(line);
    };
    await expect(reading()).rejects.toMatchObject({ name: 'RecordFault', line: 3 });
    expect(seen).toEqual([2]);
  });

  test('a file of more than 500 columns is refused', async () => {
    const header = (count: number) => `${Array.from({ length: count }, (_, n) => `c${n}`).join(',')}\n`;
    expect((await read(header(500))).columns).toHaveLength(500);
    await expect(read(header(600))).rejects.toMatchObject({
      message: 'the file has 600 columns; 500 are allowed',
      line: 1,
    });
  });

  test('a column named twice is refused', async () => {
    await expect(read('a,a\n1,2\n')).rejects.toMatchObject({
      message: 'the file has the column a twice',
      line: 1,
    });
  });
});

describe('JSON Lines', () => {
  test('values keep their types; a line that is no object is a fault of its own', async () => {
    const { columns, rows } = await read('\n{"a":1}\n', '[1]\n{"b":', 'null}\nx\n{"__proto__":{"c":1}}');
    expect(columns).toBeNull();
    expect(rows).toEqual([
      [2, { a: 1 }],
      [3, 'is not a JSON object'],
      [4, { b: null }],
      [5, 'is not a JSON object'],
      [6, JSON.parse('{"__proto__":{"c":1}}')],
    ]);
  });
});

test.each([
  ['nothing', ''],
  ['blanks', ' \n'],
  ['an old code page', Uint8Array.of(0x61, 0xe4, 0x0a)],
  ['UTF-16', Uint8Array.of(0xff, 0xfe, 0x61, 0)],
  ['a letter that is cut off', Uint8Array.of(0x61, 0xc3)],
])('a file of %s is refused', async (_what, bytes) => {
  await expect(read(bytes)).rejects.toMatchObject({ name: 'RecordFault' });
});
