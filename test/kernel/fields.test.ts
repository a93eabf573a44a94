import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  codePoints,
  count,
  email,
  flag,
  integer,
  issuesOf,
  oneOf,
  optional,
  queryInteger,
  text,
} from '#kernel/http/fields.ts';
import { always } from '../support/property.ts';

const ok = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success;
const fault = (schema: z.ZodType, value: unknown) => {
  const result = schema.safeParse(value);
  return result.success ? null : issuesOf(result.error.issues);
};
const document = (schema: z.ZodType, io: 'input' | 'output' = 'input') =>
  z.toJSONSchema(schema, { target: 'openapi-3.0', io });

describe('fields of the same rules are one schema', () => {
  const once = text({ min: 1, max: 9 });

  it.each([
    ['text', once, text({ max: 9, min: 1 })],
    ['text without an end', text({ max: 9, trim: true }), text({ trim: true, max: 9, min: 0 })],
    ['integer', integer(1, 9), integer(1, 9)],
    ['oneOf', oneOf(['a', 'b']), oneOf(['a', 'b'])],
    ['optional', optional(once), optional(once)],
    ['email', email(), email(255)],
  ])('%s', (_, one, other) => {
    expect(other).toBe(one);
  });

  it.each([
    ['text', once, text({ min: 1, max: 8 })],
    ['text that is trimmed', once, text({ min: 1, max: 9, trim: true })],
    ['text of a form', once, text({ min: 1, max: 9, form: { pattern: /a/, says: 'an a' } })],
    ['integer', integer(1, 9), integer(1, 10)],
    ['oneOf', oneOf(['a', 'b']), oneOf(['b', 'a'])],
    ['optional', optional(once), optional(text({ max: 9 }))],
  ])('%s of other rules is another', (_, one, other) => {
    expect(other).not.toBe(one);
  });

  it('what one field says of itself, the others do not', () => {
    expect(document(once.meta({ title: 'Name' }))).toMatchObject({ title: 'Name', maxLength: 9 });
    expect(document(text({ min: 1, max: 9 }))).not.toHaveProperty('title');
  });
});

describe('text', () => {
  const three = text({ min: 3, max: 5 });

  it.each([
    ['ab', false],
    ['abc', true],
    ['abcde', true],
    ['abcdef', false],
    ['😀😀', false],
    ['😀😀😀', true],
    ['😀😀😀😀😀', true],
    ['😀😀😀😀😀😀', false],
    ['abc\0', false],
    ['abc\ud800', false],
    ['\udc00abc', false],
    ['\ud83d\ude00ab', true],
    ['  a  ', true],
    ['', false],
    [5, false],
    [null, false],
    [undefined, false],
    [['abc'], false],
    [{ length: 3 }, false],
  ])('%j is accepted: %s', (value, accepted) => {
    expect(ok(three, value)).toBe(accepted);
  });

  it('says what is wrong, under a name of its own', () => {
    expect(fault(z.object({ a: three }), { a: 'ab' })).toEqual([
      { path: 'a', rule: 'too_small', message: 'must have at least 3 characters' },
    ]);
    expect(fault(z.object({ a: three }), {})).toEqual([
      { path: 'a', rule: 'required', message: 'is required' },
    ]);
    expect(fault(three, 7)).toEqual([{ path: '', rule: 'invalid_type', message: 'must be a string' }]);
  });

  it('trims before it counts, and only when asked', () => {
    const trimmed = text({ min: 2, max: 3, trim: true });
    expect(trimmed.parse('  abc \n')).toBe('abc');
    expect(ok(trimmed, '  a  ')).toBe(false);
    expect(three.parse(' ab ')).toBe(' ab ');
  });

  it('shows its bounds in the document', () => {
    expect(document(three)).toEqual({ type: 'string', minLength: 3, maxLength: 5 });
    expect(document(text({ max: 9 }), 'output')).toEqual({ type: 'string', maxLength: 9 });
    const form = text({ max: 9, form: { pattern: /^a+$/, says: 'made of a' } });
    expect(document(form)).toEqual({ type: 'string', maxLength: 9, pattern: '^a+$' });
    expect(fault(form, 'b')?.[0]?.message).toBe('must be made of a');
  });

  it('counts as the language iterates', () => {
    always(fc.property(fc.string({ unit: 'binary' }), (value) => codePoints(value) === [...value].length));
  });

  it('accepts exactly the texts of its length', () => {
    always(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 12 }), (value) => {
        const length = [...value].length;
        return ok(three, value) === (length >= 3 && length <= 5);
      }),
    );
  });
});

describe('email', () => {
  it.each([
    ['a@b.de', true],
    [' a@b.de\n', true],
    ['first.last+tag@sub.example.org', true],
    ["o'neil@example.org", true],
    ['jürgen@müller.de', true],
    ['用户@例え.jp', true],
    ['a@b', false],
    ['a@b.', false],
    ['a@.de', false],
    ['a@b..de', false],
    ['.a@b.de', false],
    ['a..b@b.de', false],
    ['a.@b.de', false],
    ['@b.de', false],
    ['a@', false],
    ['a b@c.de', false],
    ['a@b@c.de', false],
    ['a@b.de,c@d.de', false],
    ['<a@b.de>', false],
    ['a@b.de\r\nBcc: c@d.de', false],
    ['a\u0007@b.de', false],
    ['', false],
    [null, false],
  ])('%j is accepted: %s', (value, accepted) => {
    expect(ok(email(), value)).toBe(accepted);
  });

  it('is trimmed, keeps its case, and is bounded', () => {
    expect(email().parse(' Ann@Example.org ')).toBe('Ann@Example.org');
    expect(ok(email(), `${'a'.repeat(249)}@b.de`)).toBe(true);
    expect(ok(email(), `${'a'.repeat(251)}@b.de`)).toBe(false);
    expect(document(email())).toMatchObject({ type: 'string', format: 'email', maxLength: 255 });
  });
});

describe('integer, count, flag, oneOf', () => {
  it.each([
    [0, false],
    [1, true],
    [1000, true],
    [1001, false],
    [1.5, false],
    ['5', false],
    [Number.NaN, false],
    [Number.POSITIVE_INFINITY, false],
    [true, false],
    [null, false],
  ])('1 to 1000 takes %j: %s', (value, accepted) => {
    expect(ok(integer(1, 1000), value)).toBe(accepted);
  });

  it('refuses numbers that a double cannot tell apart', () => {
    expect(ok(integer(0), Number.MAX_SAFE_INTEGER)).toBe(true);
    expect(ok(integer(0), Number.MAX_SAFE_INTEGER + 1)).toBe(false);
  });

  it('show themselves in the document', () => {
    expect(document(integer(1, 9))).toEqual({ type: 'integer', minimum: 1, maximum: 9 });
    expect(document(count(), 'output')).toEqual({ type: 'integer', minimum: 0 });
    expect(document(flag())).toEqual({ type: 'boolean' });
    expect(document(oneOf(['A', 'B']))).toEqual({ type: 'string', enum: ['A', 'B'] });
  });

  it('do not coerce and name what they want', () => {
    expect(fault(flag(), 'true')?.[0]?.message).toBe('must be true or false');
    expect(fault(oneOf(['A', 'B']), 'a')?.[0]?.message).toBe('must be one of A, B');
    expect(fault(integer(1, 9), 10)?.[0]?.message).toBe('must be at most 9');
    expect(fault(integer(1, 9), 0)?.[0]?.message).toBe('must be at least 1');
  });
});

describe('optional', () => {
  const schema = z.object({ a: optional(text({ min: 1, max: 3 })), b: optional(integer(1, 2)) });

  it('takes null for absent, and nothing else', () => {
    expect(schema.parse({ a: null, b: null })).toEqual({});
    expect(schema.parse({})).toEqual({});
    expect(schema.parse({ a: 'x', b: 1 })).toEqual({ a: 'x', b: 1 });
    expect(ok(schema, { a: '' })).toBe(false);
    expect(ok(schema, { b: 0 })).toBe(false);
  });

  it('is nullable and not required in the document', () => {
    const { properties, required } = document(schema);
    expect(required).toBeUndefined();
    expect(properties?.a).toEqual({ type: 'string', minLength: 1, maxLength: 3, nullable: true });
    expect(document(schema, 'output').required).toBeUndefined();
  });
});

describe('queryInteger', () => {
  const page = z.object({ page: queryInteger({ min: 1, max: 500, fallback: 50 }) });

  it.each([
    [undefined, 50],
    ['1', 1],
    ['500', 500],
    ['007', 7],
    ['0', null],
    ['501', null],
    ['-1', null],
    ['1.0', null],
    ['1e2', null],
    ['0x10', null],
    [' 5', null],
    ['', null],
    ['five', null],
    ['9'.repeat(400), null],
    [['1', '2'], null],
  ])('%j reads as %j', (value, read) => {
    const result = page.safeParse(value === undefined ? {} : { page: value });
    expect(result.success ? result.data.page : null).toBe(read);
  });

  it('shows an integer in the document', () => {
    expect(document(page).properties?.page).toMatchObject({ type: 'integer', minimum: 1, maximum: 500 });
  });
});

describe('issuesOf', () => {
  it('lists at most 20 faults, with the path joined and unknown fields named', () => {
    const many = z.array(integer(1, 2)).safeParse(Array(50).fill(9));
    expect(many.success ? [] : issuesOf(many.error.issues)).toHaveLength(20);
    const nested = z.object({ list: z.array(z.object({ n: integer(1, 2) })) });
    expect(fault(nested, { list: [{ n: 1 }, { n: 3 }] })?.[0]?.path).toBe('list.1.n');
    expect(fault(z.strictObject({}), { typo: 1 })).toEqual([
      { path: '', rule: 'unrecognized_keys', message: 'unknown: typo' },
    ]);
  });
});
