// A table described once: what its record reads, writes, erases and lets out.
import { describe, expect, expectTypeOf, it } from 'vitest';
import { column } from '#kernel/db/column.ts';
import { columnName, record, type ValuesOf } from '#kernel/db/record.ts';

const note = record(
  'notes',
  {
    id: column.id('nte'),
    authorId: column.id('usr').nullable().references('users'),
    title: column
      .text(100, 1)
      .nullable()
      .personal((id) => `note ${id}`),
    titleNorm: column.text(100).from(({ title }: { title: string | null }) => title?.toLowerCase() ?? null),
    kind: column.choice(['DRAFT', 'SENT']),
    isPinned: column.flag(),
    tags: column.texts(20, 3).nullable(),
    size: column.integer(0, 10).addedLater(),
    sealEnc: column.text(1000).nullable().secret(),
    createdBy: column.text(255).nullable().aside(),
    createdAt: column.time(),
  },
  {
    key: ['id'],
    natural: ['authorId', 'titleNorm'],
    contradiction: ({ kind, authorId }) => (kind === 'SENT' && authorId === null ? 'who sent it?' : null),
  },
);
type Note = ValuesOf<typeof note>;

const stored = {
  id: 'nte_1',
  author_id: null,
  title: 'A Title',
  title_norm: 'a title',
  kind: 'DRAFT',
  is_pinned: 1,
  tags: '["a","b"]',
  size: 3,
  seal_enc: 'v1.sealed',
  created_by: 'somebody',
  created_at: '2026-03-01T12:00:00.000Z',
};
const values: Note = {
  id: 'nte_1',
  authorId: null,
  title: 'A Title',
  kind: 'DRAFT',
  isPinned: true,
  tags: ['a', 'b'],
  size: 3,
  createdAt: '2026-03-01T12:00:00.000Z',
};

describe('record', () => {
  it('knows the type of its objects', () => {
    expectTypeOf<Note>().toEqualTypeOf<{
      id: string;
      authorId: string | null;
      title: string | null;
      kind: 'DRAFT' | 'SENT';
      isPinned: boolean;
      tags: string[] | null;
      size: number;
      createdAt: string;
    }>();
    // @ts-expect-error what is sealed is not in the object
    expect(note.read(stored).sealEnc).toBeUndefined();
  });

  it('reads a row of either database into an object, without what is secret or beside it', () => {
    expect(note.read(stored)).toEqual(values);
    expect(note.read({ ...stored, is_pinned: false, tags: null })).toEqual({
      ...values,
      isPinned: false,
      tags: null,
    });
    expect(Object.keys(note.read(stored))).toEqual(Object.keys(values));
  });

  it('writes the columns of an object, what follows from it, and what is given beside it', () => {
    const { seal_enc, created_by, ...columns } = stored;
    expect(note.write(values)).toEqual({ ...columns, is_pinned: true });
    expect(note.write({ ...values, tags: null }, { sealEnc: 'v1.new' })).toEqual({
      ...columns,
      is_pinned: true,
      tags: null,
      seal_enc: 'v1.new',
    });
    expect(note.written).toEqual(Object.keys(columns));
  });

  it('writes only what is there of a part, null among it', () => {
    expect(note.part({ tags: ['c'], authorId: null, createdBy: 'me' })).toEqual({
      tags: '["c"]',
      author_id: null,
      created_by: 'me',
    });
    expect(note.part({})).toEqual({});
    const loose = { title: 'x', unknown: 1, size: undefined } as unknown as Partial<Note>;
    expect(note.part(loose)).toEqual({ title: 'x' });
  });

  it('erases what is personal and leaves the rest', () => {
    expect(note.erase(values)).toEqual({ ...values, title: 'note nte_1' });
  });

  it('names its keys as the database does, and says what contradicts itself', () => {
    expect([note.key, note.natural]).toEqual([['id'], ['author_id', 'title_norm']]);
    expect(note.contradiction(values)).toBeNull();
    expect(note.contradiction({ ...values, kind: 'SENT' })).toBe('who sent it?');
    expect(['id', 'bundleSha256', 'isPinned'].map(columnName)).toEqual(['id', 'bundle_sha256', 'is_pinned']);
  });
});

describe('bounds of columns', () => {
  const faultOf = (name: keyof typeof note.columns, value: unknown) =>
    note.columns[name].traits.schema().safeParse(value).error?.issues[0]?.message ?? null;

  it.each([
    ['id', 'usr_00000000000000000000000001', /must be an id like nte_/],
    ['id', 'nte_00000000000000000000000001', null],
    ['authorId', null, null],
    ['title', '', /must not be empty/],
    ['title', null, null],
    ['kind', 'LOST', /must be one of DRAFT, SENT/],
    ['isPinned', 1, /true or false/],
    ['tags', ['a', 'b', 'c', 'd'], /./],
    ['tags', null, null],
    ['size', 11, /at most 10/],
    ['createdAt', '2026-03-01', /./],
  ] as const)('%s %j', (name, value, fault) => {
    if (fault === null) expect(faultOf(name, value)).toBeNull();
    else expect(faultOf(name, value)).toMatch(fault);
  });

  it('a value that an earlier export lacks is null', () => {
    const later = column.text(10).nullable().addedLater();
    expect(later.traits.schema().parse(undefined)).toBeNull();
    expect(column.text(10).nullable().traits.schema().safeParse(undefined).success).toBe(false);
  });
});
